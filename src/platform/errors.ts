import { type Data as AnyData, fill, type Message, type Placeholders, type TranslatedText } from './texts.ts'

/** Every error the API can answer with: its key, its HTTP status and its English text. */
export const errors = {
  // authentication and permissions
  auth: [401, 'Please sign in.'],
  'access.login': [401, 'The e-mail address or the password is wrong.'],
  'access.code': [401, 'The code is wrong or has expired.'],
  'auth.throttled': [429, 'Too many attempts. Please try again in {seconds} seconds.'],
  'auth.method': [400, 'This sign-in method is not available here.'],
  'auth.needsSession': [
    403,
    'Sign in to change accounts, passwords and second factors. Basic credentials and API tokens cannot change them.',
  ],
  'auth.needsToken': [
    403,
    'This account has a second factor, so Basic credentials are not enough. Please use an API token instead.',
  ],
  'auth.notSession': [400, 'This request has an API token. Only a session can sign in or out.'],
  'auth.origin': [403, 'The request comes from another site and was refused.'],
  'auth.csrf': [
    403,
    'The header X-CSRF with the token of this session is missing or wrong. Reload the page, or take the token from GET /api/auth.',
  ],
  'auth.https': [403, 'This server can only be reached over HTTPS.'],
  'auth.forcedSetup': [403, 'Choose a new password or set up a second factor to continue.'],
  'auth.fresh': [401, 'This changes how an account signs in. Please confirm your password first.'],
  permission: [403, 'You do not have permission to do this.'],
  'access.panel': [401, 'Your role has no access to the panel and the API. Ask an administrator.'],

  // the request itself
  validation: [400, 'Something in the request is missing or invalid.'],
  invalidArgument: [400, 'Some fields have errors.'],
  'extension.failed': [500, 'The extension “{name}” has failed: {part}'],
  'extension.readOnly': [403, 'Rules of extensions can only read: {name} is not allowed.'],
  'document.changed': [412, 'The document “{key}” was changed in the meantime. Read it again.'],
  'extension.chain': [409, 'Extensions triggered each other too many times: {chain}'],
  'extension.notFound': [404, 'There is no extension “{name}”.'],
  'extension.job.notFound': [404, 'The extension “{name}” has no job “{job}”.'],
  'extension.run.notFound': [404, 'There is no run “{id}”, or it has ended long ago.'],
  'extension.timeout': [503, 'The extension “{name}” did not respond to {endpoint} in time.'],
  'extension.answer': [
    500,
    'The extension “{name}” returned a response for {endpoint} that does not match its schema.',
  ],
  duplicate: [400, 'There is already an account with the id “{id}”.'],
  'request.throttled': [429, 'Too many requests. Please try again in {seconds} seconds.'],
  'request.malformed': [400, 'The request cannot be read: {problem}'],
  'request.timeout': [408, 'The request took too long to arrive.'],
  'request.tooLarge': [413, 'The request is larger than {limit} bytes.'],
  'request.mediaType': [415, 'The body must be sent as application/json, without compression.'],
  'request.range': [416, 'The file does not have the requested part.'],
  'request.host': [421, 'This server does not answer for this host name.'],
  'request.headersTooLarge': [431, 'The headers of the request are too large or too many.'],
  notFound: [404, 'There is nothing at this URL.'],
  errorPage: [404, 'The list does not have that many pages.'],
  methodNotAllowed: [405, 'This URL does not support {method}.'],

  // accounts
  'user.notFound': [404, 'There is no account “{name}”.'],
  /** The same, when files of the account are requested. */
  'user.undefined': [404, 'There is no account “{name}”.'],
  'user.duplicate': [400, 'There is already an account with the e-mail address “{email}”.'],
  'user.email.invalid': [400, 'This is not an e-mail address.'],
  'user.password.invalid': [400, 'Please choose another password. {reason}'],
  'user.password.excessive': [400, 'The password is longer than {max} characters.'],
  'user.password.same': [400, 'This is the password you already have. Please choose another one.'],
  'user.password.mail': [
    403,
    'Only the owner of an account can choose its password. Please send a reset link instead.',
  ],
  'user.mail.missing': [
    400,
    'This site cannot send mail. "quoin user invite" or "quoin user reset" on the command line prints the link instead.',
  ],
  'user.mail.often': [429, 'Several links have been sent to this e-mail address already. Please wait a while.'],
  'user.inactive': [400, 'This account is not active. It must be enabled, or its invitation accepted, first.'],
  'user.invitation.accepted': [400, 'This account has no pending invitation.'],
  'user.session.notFound': [404, 'There is no such session. Perhaps it has ended already.'],
  'user.totp.exists': [400, 'This account already has an authenticator app. Please remove it first.'],
  'user.settings.size': [
    400,
    'The settings of an account take at most {limit} bytes. Delete views that you no longer need first.',
  ],
  'user.factor.last': [
    409,
    'Your role requires a second factor, and this is the last one. Please set up another one first, or replace it.',
  ],
  'user.totp.notFound': [404, 'This account has no authenticator app.'],
  'user.recovery.factor': [400, 'Recovery codes replace a second factor. Please set up a second factor first.'],
  'user.token.notFound': [404, 'There is no such token. Perhaps it has been removed already.'],
  'user.token.scope': [400, 'The scope “{scope}” does not exist or exceeds your own permissions.'],
  'user.token.limit': [400, 'An account can have at most {max} tokens. Please remove one first.'],
  'user.role.invalid': [400, 'There is no role “{role}”.'],
  'user.passkey.notFound': [404, 'There is no such passkey.'],
  'user.passkey.invalid': [400, 'This passkey could not be set up. Please try again.'],
  'user.passkey.limit': [400, 'An account can have at most {max} passkeys. Please remove one first.'],
  'user.language.invalid': [400, 'There is no interface language “{language}”.'],
  'user.create.permission': [403, 'You do not have permission to create this account.'],
  'user.update.permission': [403, 'You do not have permission to change this account.'],
  'user.delete.permission': [403, 'You do not have permission to delete this account.'],
  'user.changeEmail.permission': [403, 'You do not have permission to change the e-mail address of this account.'],
  'user.changeLanguage.permission': [403, 'You do not have permission to change the language of this account.'],
  'user.changeName.permission': [403, 'You do not have permission to change the name of this account.'],
  'user.changePassword.permission': [403, 'You do not have permission to change how this account signs in.'],
  'user.changeRole.permission': [403, 'You do not have permission to change the role of this account.'],
  'user.changeRole.toAdmin': [403, 'Only administrators can make someone an administrator.'],
  'user.changeRole.lastAdmin': [400, 'The last administrator cannot have another role.'],
  'user.delete.lastUser': [400, 'The last account cannot be deleted.'],
  'user.delete.lastAdmin': [400, 'The last administrator cannot be deleted.'],
  'user.disable.lastAdmin': [400, 'The last administrator cannot be disabled.'],

  // contents
  'content.changed': [412, 'Someone has changed this since you opened it. Please check it again before you save.'],
  'content.broken': [409, 'The stored value cannot be read. Send $overwrite to replace it.'],
  'content.lock': [423, '{name} is editing this and has unpublished changes.'],
  'content.history.notFound': [404, 'There is no such version. It may have been deleted because of its age.'],
  'version.save.permission': [403, 'You do not have permission to save changes here.'],
  'version.publish.permission': [403, 'You do not have permission to publish changes here.'],
  'version.discard.permission': [403, 'You do not have permission to discard changes here.'],

  // pages
  'page.notFound': [404, 'There is no page “{id}”.'],
  'page.slug.invalid': [400, 'Please enter a slug with at least one letter or digit.'],
  'page.slug.maxlength': [400, 'A slug can have at most {max} characters.'],
  'page.duplicate': [400, 'There is already a page with the slug “{slug}” here.'],
  'page.draft.duplicate': [400, 'There is already a draft with the slug “{slug}” here.'],
  'page.changeSlug.permission': [403, 'You do not have permission to change the slug of this page.'],
  'page.changeSlug.reserved': [400, 'The slug “{slug}” is reserved by the system.'],
  'page.changeStatus.permission': [403, 'You do not have permission to change the status of this page.'],
  'page.changeStatus.incomplete': [403, 'The page cannot be published yet: some of its fields have errors.'],
  'page.status.invalid': [400, 'This page cannot have the status “{status}”.'],
  'page.sort.permission': [403, 'You do not have permission to sort this page.'],
  'page.changeTemplate.invalid': [400, 'This page cannot have the template “{template}”.'],
  'page.changeTemplate.permission': [403, 'You do not have permission to change the template of this page.'],
  'page.changeTitle.permission': [403, 'You do not have permission to change the title of this page.'],
  'page.changeTitle.empty': [400, 'Please give the page a title.'],
  'page.create.permission': [403, 'You do not have permission to create this page.'],
  'page.template.invalid': [400, 'There is no template “{template}” for pages.'],
  'page.uuid.duplicate': [400, 'There is already a page with the UUID “{uuid}”.'],
  'page.update.permission': [403, 'You do not have permission to change this page.'],
  'page.publish.permission': [403, 'You do not have permission to publish this page.'],
  'page.delete.permission': [403, 'You do not have permission to delete this page.'],
  'page.delete.hasChildren': [400, 'The page has subpages. Please confirm that they are deleted, too.'],
  'page.delete.successor': [400, 'The page that takes its place must not be one of the deleted pages.'],
  'page.duplicate.permission': [403, 'You do not have permission to duplicate this page.'],
  'page.move.permission': [403, 'You do not have permission to move this page.'],
  'page.move.self': [400, 'A page cannot be moved into itself.'],
  'page.move.template': [400, 'Pages of the template “{template}” cannot be placed there.'],
  'page.schedule.trashed': [400, 'The page was in the trash at that time.'],
  'page.schedule.past': [400, 'The time must be in the future.'],
  'page.schedule.notFound': [404, 'Nothing is scheduled for this page.'],
  'page.review.nothing': [400, 'There are no changes to review.'],
  'page.review.notFound': [404, 'This page is not in review.'],
  'page.review.permission': [
    403,
    'Only the user who requested this review, or a user who can publish this page, can withdraw it.',
  ],
  'page.comment.notFound': [404, 'This comment does not exist. It may have been deleted.'],
  'page.comment.permission': [403, 'Only its author can change this comment.'],
  'page.comment.tooMany': [400, 'A page can have at most {max} comments.'],
  'page.tooMany': [400, 'This affects more than {max} pages, which are too many for one change.'],

  // the trash
  'trash.notFound': [404, 'This is not in the trash. It may have been restored or deleted permanently.'],
  'trash.parent': [409, 'Its former parent page no longer exists. Please choose another one.'],
  'trash.uuid': [409, 'This cannot be restored while “{id}” exists, which has the same UUID.'],
  'trash.delete.permission': [403, 'You do not have permission to delete everything in this entry.'],

  // the site
  'site.update.permission': [403, 'You do not have permission to change the site.'],
  'site.changeTitle.permission': [403, 'You do not have permission to change the title of the site.'],
  'site.changeTitle.empty': [400, 'Please give the site a title.'],
  'site.access.permission': [403, 'You do not have permission to view the site.'],
  'site.preview.permission': [403, 'You do not have permission to preview all pages of the site.'],
  'preview.address': [
    400,
    'There is no front end URL that could show a preview. Set site.url in the configuration, or correct the option preview of the blueprint.',
  ],

  // files
  'file.notFound': [404, 'There is no file “{filename}”.'],
  'file.duplicate': [400, 'There is already another file with the name “{filename}” here.'],
  'file.changeName.permission': [403, 'You do not have permission to rename this file.'],
  'file.changeName.empty': [400, 'Please give the file a name.'],
  'file.changeTemplate.permission': [403, 'You do not have permission to change the template of this file.'],
  'file.changeTemplate.invalid': [400, 'This file cannot have the template “{template}”.'],
  'file.create.permission': [403, 'You do not have permission to upload this file.'],
  'file.replace.permission': [403, 'You do not have permission to replace this file.'],
  'file.update.permission': [403, 'You do not have permission to change this file.'],
  'file.delete.permission': [403, 'You do not have permission to delete this file.'],
  'file.extension.missing': [400, 'The file name “{filename}” has no extension.'],
  'file.extension.forbidden': [400, 'Files with the extension “{extension}” are not allowed.'],
  'file.extension.invalid': [400, 'Files with the extension “{extension}” are not allowed here.'],
  'file.mime.missing': [400, 'The type of the file “{filename}” is unknown.'],
  'file.mime.forbidden': [400, 'Files of the type “{mime}” are not allowed.'],
  'file.mime.invalid': [400, 'Files of the type “{mime}” are not allowed here.'],
  'file.mime.differs': [400, 'The new file must have the same type, “{mime}”.'],
  'file.name.missing': [400, 'The file has no name.'],
  'file.type.forbidden': [400, 'Files of the type “{type}” are not allowed.'],
  'file.type.invalid': [400, 'Files of the type “{type}” are not allowed here.'],
  'file.content.mismatch': [400, 'The content of “{filename}” does not match its file extension.'],
  'file.content.unsafe': [400, '“{filename}” contains something that could do harm in a browser: {reason}.'],
  'file.image.invalid': [400, '“{filename}” cannot be read as an image.'],
  'file.image.tooLarge': [400, 'The image “{filename}” has more pixels than can be handled.'],
  'file.edit.unsupported': [
    400,
    'Only JPEG, PNG, WebP, AVIF and GIF images without animation can be cropped or rotated.',
  ],
  'file.edit.outside': [400, 'The crop area must be inside the image.'],
  'file.version.notFound': [404, 'There is no such version of this file.'],
  'file.minsize': [400, 'The file must be at least {min}.'],
  'file.maxsize': [413, 'The file must be at most {max}.'],
  'file.minwidth': [400, 'The image must be at least {min} pixels wide.'],
  'file.maxwidth': [400, 'The image can be at most {max} pixels wide.'],
  'file.minheight': [400, 'The image must be at least {min} pixels high.'],
  'file.maxheight': [400, 'The image can be at most {max} pixels high.'],
  'file.orientation': [400, 'The image must be {orientation}.'],
  'file.avatar.notFound': [404, 'This account has no profile image.'],
  'upload.noFiles': [400, 'No file was sent.'],
  'upload.tooMany': [400, 'At most {max} files can be sent at once.'],
  'upload.form': [400, 'The upload cannot be read. Please send it as multipart/form-data.'],
  'upload.mediaType': [415, 'Files must be sent as multipart/form-data, without compression.'],
  'upload.incomplete': [400, 'The upload ended before it was complete.'],

  // languages
  'language.notFound': [404, 'There is no language “{code}”.'],
  'language.unknown': [400, 'There is no language “{code}” on this site.'],
  'language.code': [400, 'The code of a language has 2 to 20 letters, digits and hyphens, such as en or pt-br.'],
  'language.name': [400, 'Please give the language a name.'],
  'language.duplicate': [400, 'There is already a language “{code}”.'],
  'language.default': [400, 'To change the default language, please make another one the default.'],
  'language.delete.default': [400, 'The default language cannot be deleted while there are others.'],
  'language.create.permission': [403, 'You do not have permission to add or change languages.'],
  'language.delete.permission': [403, 'You do not have permission to delete languages.'],
  'language.limit': [400, 'A site can have at most {max} languages.'],

  'section.notFound': [404, 'There is no section “{name}”.'],
  'field.notFound': [404, 'There is no field “{name}” with choices here.'],
  'role.notFound': [404, 'There is no role “{name}”.'],

  // the interface
  'translation.notFound': [404, 'There is no translation “{id}”.'],

  // setting up
  'system.installed': [403, 'This site has been set up already. Please sign in.'],
  'system.install': [403, 'To set up this site, please use the link that the server printed when it started.'],
  'system.token': [401, 'The set-up link is invalid or has been used. The server prints a new one when it starts.'],

  // the feed of events
  'events.streams': [503, 'Too many live connections are open. Please try again in a moment.'],

  // redirects
  'redirect.notFound': [404, 'There is no redirect “{id}”.'],
  'redirect.path': [400, 'Please enter a path on this site, such as /old/page, without a query.'],
  'redirect.target': [
    400,
    'Please enter where it leads to: a path such as /new/page, or a URL such as https://example.org, without a user name and password.',
  ],
  'redirect.page': [400, 'A page has the path {path}, so there can be no redirect from it.'],
  'redirect.duplicate': [400, 'There is already a redirect from {path}.'],
  'redirect.prefix': [
    400,
    'The redirect from {path} is for all pages of a language. It can be deleted, but not changed.',
  ],
  'redirect.loop': [400, 'This redirect leads back to {path}, or through ten or more other redirects.'],

  // releases
  'release.notFound': [404, 'There is no release “{id}”.'],
  'release.name': [400, 'Please enter a name for the release.'],
  'release.empty': [400, 'The release has no pages or files yet.'],
  'release.tooMany': [400, 'A release can have at most {max} pages and files.'],
  'release.published': [409, 'The release has been published already.'],
  'release.taken': [409, '“{title}” is in the release “{name}”.'],
  'release.scheduled': [409, 'A change of “{title}” is scheduled. Please remove its schedule first.'],
  'release.changed': [
    409,
    'Its draft was changed after the release was scheduled, by an account without permission to publish it.',
  ],
  'release.held': [409, 'Nothing was published. Please check: {title}'],
  'page.schedule.release': [409, 'This page is in the release “{name}”, which publishes its changes.'],

  // the shared cache
  'purge.off': [400, 'There is no cache to clear: the configuration has no delivery.purge.'],

  // webhooks
  'webhook.notFound': [404, 'There is no webhook “{id}”.'],
  'webhook.delivery.notFound': [404, 'There is no delivery “{id}” of this webhook.'],
  'webhook.limit': [400, 'A site can have at most {max} webhooks.'],
  'webhook.duplicate': [400, 'There is already a webhook with this URL.'],
  'webhook.events': [
    400,
    'There is no event “{event}”. Use names such as page.published, or page.* for all events of pages.',
  ],
  'webhook.settings': [
    403,
    'This webhook is part of the configuration and can only be changed there. Here it can be turned on or off.',
  ],
  'webhook.url.invalid': [
    400,
    'Please enter a URL such as https://example.org/hook, without a user name and password.',
  ],
  'webhook.url.insecure': [
    400,
    'The URL must begin with https://. Hosts that webhooks.allow lists in the configuration can use http://.',
  ],
  'webhook.url.unknown': [400, 'The host of this URL cannot be found.'],
  'webhook.url.private': [
    400,
    'The host of this URL is in a private network. It can be allowed with webhooks.allow in the configuration.',
  ],

  // the server
  busy: [503, 'The server is busy. Please try again in a moment.'],
  unavailable: [503, 'The server cannot reach its data at the moment. Please try again soon.'],
  'storage.full': [
    507,
    'The server has no space left. Nothing was saved. Ask the administrator of the server to free disk space.',
  ],
  general: [500, 'Something went wrong on the server. Please try again.'],
} as const satisfies Record<string, readonly [status: number, text: string]>

export type ErrorKey = keyof typeof errors

type Data<Key extends ErrorKey> = Record<Placeholders<(typeof errors)[Key][1]>, string | Message>

/** Errors by the name of the field: `{ password: { label, message: { required: '…' } } }`. */
export type Details = Record<string, unknown>

/** An error that an extension declares: its key with the name of the extension, its HTTP status, and its texts. */
export interface OwnError {
  key: OwnErrorKey
  status: number
  texts: TranslatedText
}
type OwnErrorKey = `${string}.${string}`

export class ApiError extends Error {
  readonly key: ErrorKey | OwnErrorKey
  readonly status: number
  /** The values of the placeholders in the text, in any language. */
  readonly data: AnyData
  readonly details: Details = {}
  readonly headers: Record<string, string> = {}
  /** Members of the RFC 9457 form only. */
  readonly problem: Record<string, unknown> = {}

  /** Set for the errors of extensions. */
  readonly own: OwnError | undefined

  constructor(error: ErrorKey | OwnError, data: AnyData = {}) {
    const own = typeof error === 'string' ? undefined : error
    const [status, text] = typeof error === 'string' ? errors[error] : [error.status, error.texts['en'] ?? error.key]
    // An expected response, not a fault of the program: its stack trace is not needed, and taking one is slow.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(fill(text, data))
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ApiError'
    this.key = typeof error === 'string' ? error : error.key
    this.status = status
    this.data = data
    this.own = own
  }

  with(extra: { details?: Details; headers?: Record<string, string>; problem?: Record<string, unknown> }): this {
    return Object.assign(this, extra)
  }
}

/** `throw fail('user.notFound', { name })`: the placeholders of the text are checked by the compiler. */
export function fail<Key extends ErrorKey>(
  key: Key,
  ...[data]: [Placeholders<(typeof errors)[Key][1]>] extends [never] ? [] : [Data<Key>]
): ApiError {
  return new ApiError(key, data)
}
