import pg from 'pg'

/** One of several hosts that does not answer must not take the whole timeout. In ms. */
const hostTimeoutMs = 3000

/**
 * A pool of connections to whichever of several hosts is the primary. A host that cannot be reached, or is a standby,
 * makes way for the next one; each is tried once for a connection.
 */
export function createPool(
  options: pg.PoolConfig,
  urls: readonly string[],
  isOutage: (error: unknown) => boolean,
): pg.Pool {
  if (urls.length === 1) return new pg.Pool({ ...options, connectionString: urls[0]! })
  let index = 0
  class HostClient extends pg.Client {
    constructor(config: pg.ClientConfig) {
      // The timeout of the pool is also that of the wait for a free connection, so it stays as it is.
      const connectionTimeoutMillis = Math.min(config.connectionTimeoutMillis ?? Infinity, hostTimeoutMs)
      super({ ...config, connectionTimeoutMillis, connectionString: urls[index]! })
    }
  }
  const pool = new pg.Pool({ ...options, Client: HostClient as unknown as new () => pg.ClientBase })
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>

  async function connectToAny(): Promise<pg.PoolClient> {
    for (let tries = 1; ; tries++) {
      const tried = index
      try {
        return await connect()
      } catch (error) {
        // "timeout exceeded": all connections are in use, which says nothing about the host.
        if (!isOutage(error) || (error as Error).message.startsWith('timeout exceeded')) throw error
        if (index === tried) index = (tried + 1) % urls.length
        if (tries >= urls.length) throw error
      }
    }
  }
  pool.connect = ((done?: Done) => (done ? void callBack(connectToAny(), done) : connectToAny())) as typeof pool.connect
  return pool
}

type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: Error) => void) => void

/** `pool.query` connects with a callback. */
async function callBack(connecting: Promise<pg.PoolClient>, done: Done): Promise<void> {
  let client: pg.PoolClient
  try {
    client = await connecting
  } catch (error) {
    return done(error as Error, undefined, () => {})
  }
  done(undefined, client, error => client.release(error))
}
