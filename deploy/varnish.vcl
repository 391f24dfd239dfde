vcl 4.1;

backend quoin {
    .host = "127.0.0.1";
    .port = "4080";
}

# Who may purge: the servers that run Quoin.
acl purgers {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    if (req.method == "PURGE") {
        # `<token>` is that of `delivery.purge`. Behind a proxy on this host everybody has the address 127.0.0.1.
        if (client.ip !~ purgers || req.http.Authorization != "Bearer <token>") {
            return (synth(403));
        }
        if (req.http.Surrogate-Key !~ "^[A-Za-z0-9_%/ -]+$") {
            return (synth(400));
        }
        # Only fields of the object are named, so that the ban lurker can remove the bans again.
        ban("obj.http.Surrogate-Key ~ (^|\s)(" + regsuball(req.http.Surrogate-Key, " +", "|") + ")(\s|$)");
        return (synth(200));
    }
    # Whoever has credentials is answered by Quoin itself. Other cookies do not matter.
    if (req.http.Authorization || req.http.X-CSRF || req.http.Cookie ~ "quoin") {
        return (pass);
    }
    if (req.url ~ "^/api/" && (req.method == "GET" || req.method == "HEAD")) {
        unset req.http.Cookie;
        return (hash);
    }
}

sub vcl_backend_response {
    # Old content must not be shown after a purge, so nothing is kept beyond s-maxage.
    set beresp.grace = 0s;
}

sub vcl_deliver {
    unset resp.http.Surrogate-Key;
    unset resp.http.Cache-Tag;
    if (obj.hits > 0) {
        set resp.http.X-Cache = "hit";
    } else {
        set resp.http.X-Cache = "miss";
    }
}
