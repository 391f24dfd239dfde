import { availableParallelism } from 'node:os'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { release } from '../platform/release.ts'
import { workerVariable } from '../platform/worker-process.ts'
import type { ExitCode, Terminal } from './terminal.ts'

export interface Program {
  /** Runs one command. A server that it starts keeps running. */
  run(args: readonly string[]): Promise<ExitCode>
}

/**
 * The command line. It uses only the given terminal and not the process, so that tests can run commands without
 * starting a process.
 */
export function createProgram(given: Terminal): Program {
  let terminal = given
  let code: ExitCode = 0
  const program = new Command('quoin')
    .description('A content management system for TypeScript teams')
    .version(release)
    .showHelpAfterError('Run the command with --help to see how it is used.')
    .configureOutput({
      writeOut: text => terminal.stdout.write(text),
      writeErr: text => terminal.stderr.write(text),
      // Hide the surplus arguments: one of them may be a password.
      outputError: (text, write) => write(text.replace(/ but got (\d+): .*/s, ' but got $1.\n')),
    })
    .exitOverride()
    .hook('preAction', (_program, command) => {
      const { without } = command.opts<{ without?: string[] }>()
      const { stdin, stdout, stderr, env } = given
      if (without) terminal = { stdin, stdout, stderr, env, without }
    })

  /** Loads commands and error reporting on demand, so that `--help` and small commands do not load the server. */
  function run<Args extends unknown[]>(command: (...args: Args) => Promise<ExitCode | void>) {
    return async (...args: Args) => {
      try {
        code = (await command(...args)) ?? 0
      } catch (error) {
        const { report } = await import('./terminal.ts')
        const { json } = (args as { json?: boolean }[]).find(argument => typeof argument === 'object') ?? {}
        code = report(terminal, error, json === true)
      }
    }
  }

  addWithSite(program, 'start', 'Serve a site')
    .option('--port <number>', 'the port to listen on', port)
    .option('--host <address>', 'the address to listen on')
    .option('--data <folder>', 'the data folder')
    .option('--workers <number>', 'how many processes serve the site; auto for one per core', workers, 1)
    .action(
      run(async (site: string, { workers: count, ...options }) =>
        count === 1 || terminal.env[workerVariable] !== undefined
          ? (await import('./start.ts')).start(site, options, terminal)
          : (await import('./workers.ts')).startWorkers(count, terminal),
      ),
    )

  add(program, 'init', 'Create a site')
    .argument('<folder>', 'a new or empty folder')
    .option('--with-extension', 'also create extensions/ with a small extension in TypeScript')
    .action(run(async (folder: string, options) => (await import('./init.ts')).init(folder, options, terminal)))

  addWithSite(program, 'check', 'Find mistakes in blueprints and in stored data')
    .option('--data', 'also check the stored data: pages, redirects, counts, files, search, documents of extensions')
    .option('--thorough', 'with --data: also read all files and the whole search index (slow)')
    .option(
      '--repair',
      'with --data: delete rows without an owner and automatic redirects that cannot be used, rebuild counts, search index and indexes of documents',
    )
    .action(run(async (site: string, options) => (await import('./check.ts')).check(site, options, terminal)))

  addWithSite(program, 'types', 'Write TypeScript types of the blueprints, for programs that read the site')
    .option('--out <file>', 'the file to write (default: quoin.types.ts in the folder of the site)')
    .option('--watch', 'write it again whenever a blueprint changes')
    .action(run(async (site: string, options) => (await import('./types.ts')).types(site, options, terminal)))

  const user = program.command('user').description('Manage accounts')
  addForSite(user, 'create', 'Create an account')
    .requiredOption('--email <address>', 'the e-mail address to sign in with')
    .option('--name <name>', 'the name of the user')
    .option('--role <role>', 'the role, which decides what the user may do', 'admin')
    .option('--language <code>', 'the language of the interface')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(async options => (await import('./user.ts')).create(options, terminal)))
  addForSite(user, 'list', 'List all accounts').action(
    run(async options => (await import('./user.ts')).list(options, terminal)),
  )
  addForSite(user, 'password', 'Set a new password and end all sessions and API tokens')
    .argument('<account>', 'e-mail address or id')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(async (name: string, options) => (await import('./user.ts')).changePassword(name, options, terminal)))
  addForSite(user, 'invite', 'Send the invitation again, or print its link if no mail can be sent')
    .argument('<account>', 'e-mail address or id')
    .action(run(async (name: string, options) => (await import('./user.ts')).invite(name, options, terminal)))
  addForSite(user, 'reset', 'Send a link to choose a new password, or print it if no mail can be sent')
    .argument('<account>', 'e-mail address or id')
    .action(run(async (name: string, options) => (await import('./user.ts')).reset(name, options, terminal)))
  addForSite(user, 'enable', 'Let a disabled account sign in again')
    .argument('<account>', 'e-mail address or id')
    .action(run(async (name: string, options) => (await import('./user.ts')).enable(name, options, terminal)))
  addForSite(user, 'disable', 'Keep an account from signing in and end its sessions and API tokens')
    .argument('<account>', 'e-mail address or id')
    .action(run(async (name: string, options) => (await import('./user.ts')).disable(name, options, terminal)))
  addForSite(user, 'delete', 'Delete an account')
    .argument('<account>', 'e-mail address or id')
    .action(run(async (name: string, options) => (await import('./user.ts')).remove(name, options, terminal)))

  const trash = program.command('trash').description('Manage the trash')
  addForSite(trash, 'list', 'List what is in the trash').action(
    run(async options => (await import('./trash.ts')).list(options, terminal)),
  )
  addForSite(trash, 'restore', 'Restore a page, a file or an account')
    .argument('<id>', 'the id of the entry')
    .option('--parent <page>', 'another parent page; / for the site')
    .option('--slug <slug>', 'another slug for a page')
    .option('--name <name>', 'another name for a file, without its extension')
    .option('--email <address>', 'another e-mail address for an account')
    .action(run(async (id: string, options) => (await import('./trash.ts')).restore(id, options, terminal)))
  addForSite(trash, 'delete', 'Delete an entry permanently')
    .argument('[id]', 'the id of the entry')
    .option('--all', 'all entries')
    .action(run(async (id: string | undefined, options) => (await import('./trash.ts')).remove(id, options, terminal)))

  addForSite(program, 'import', 'Import a folder of text files: pages, files, accounts, languages, blueprints')
    .argument('<folder>', 'the folder that contains content/ and site/')
    .option('--dry-run', 'only show what would be done')
    .action(run(async (folder: string, options) => (await import('./import.ts')).importSite(folder, options, terminal)))

  addForSite(program, 'export', 'Export the site as a folder of text files, which `import` can read')
    .argument('<folder>', 'the folder to write; new, empty, or an earlier export')
    .option('--force', 'replace content/ and site/ even if no export has written them')
    .action(run(async (folder: string, options) => (await import('./export.ts')).exportSite(folder, options, terminal)))

  addForSite(program, 'backup', 'Back up all data and files as one archive; the server may be running')
    .argument('<file>', 'the archive to write, .tar or .tar.gz')
    .option('--without-secrets', 'leave out the keys of sessions, passwords and second factors')
    .option('--incomplete', 'continue if files are missing or damaged')
    .option('--force', 'replace an existing archive')
    .action(run(async (file: string, options) => (await import('./backup.ts')).backupSite(file, options, terminal)))

  addForSite(program, 'restore', 'Restore a backup')
    .argument('<file>', 'the archive')
    .option('--dry-run', 'only verify the archive')
    .option('--force', 'replace an existing site')
    .option('--while-running', 'restore even if a server is running; restart it afterwards')
    .action(run(async (file: string, options) => (await import('./backup.ts')).restoreSite(file, options, terminal)))

  addForSite(
    program,
    'copy',
    'Copy all data to another database, or all files to another storage; can be interrupted and continued',
  )
    .requiredOption('--to <address>', 'postgres://… or the path of a SQLite file; with --media: s3 or disk')
    .option('--media', 'copy files between data/media and the bucket of the settings (media.s3)')
    .option('--force', 'replace an existing site in the target')
    .action(
      run(async ({ media, ...options }) =>
        media
          ? (await import('./copy-media.ts')).copyMedia(options, terminal)
          : (await import('./copy.ts')).copy(options, terminal),
      ),
    )

  addForSite(program, 'migrate', 'Upgrade the database to this release')
    .option('--dry-run', 'only show what would be done')
    .action(run(async options => (await import('./migrate.ts')).migrate(options, terminal)))

  const auth = program.command('auth').description('End sessions and unblock sign-in')
  add(auth, 'calibrate', 'Measure how strong password hashing can be on this machine').action(
    run(async options => (await import('./auth.ts')).calibrate(options, terminal)),
  )
  addForSite(auth, 'revoke-all', 'End all sessions and API tokens of all accounts').action(
    run(async options => (await import('./auth.ts')).revokeAll(options, terminal)),
  )
  addForSite(auth, 'unblock', 'End the waiting time after failed sign-ins')
    .option('--email <address>', 'for one e-mail address')
    .option('--all', 'for all addresses and networks')
    .action(run(async options => (await import('./auth.ts')).unblock(options, terminal)))

  const extension = program.command('extension').description('Manage extensions')
  addForSite(extension, 'list', 'List the extensions of the site, and what they run in the background').action(
    run(async options => (await import('./extension.ts')).list(options, terminal)),
  )
  addForSite(extension, 'run', 'Run a job of an extension now, and wait until it has ended')
    .argument('<extension>', 'the name of the extension')
    .argument('<job>', 'the name of the job')
    .action(
      run(async (name: string, job: string, options) =>
        (await import('./extension.ts')).runNow(name, job, options, terminal),
      ),
    )

  const token = program.command('token').description('Manage the API tokens of accounts')
  addForSite(token, 'create', 'Create an API token for an account, and print it once')
    .requiredOption('--user <account>', 'e-mail address or id')
    .requiredOption('--name <name>', 'what the token is for')
    .requiredOption('--scope <scope...>', 'what it may do: *, pages.*, pages.read …')
    .option('--days <number>', 'how long it is valid (default: no expiry)', days)
    .action(run(async options => (await import('./token.ts')).create(options, terminal)))
  addForSite(token, 'list', 'List API tokens')
    .option('--user <account>', 'only those of one account: e-mail address or id')
    .action(run(async options => (await import('./token.ts')).list(options, terminal)))
  addForSite(token, 'revoke', 'Revoke an API token, or all tokens of an account')
    .argument('[token]', 'the id of the token, as listed')
    .option('--user <account>', 'all tokens of this account: e-mail address or id')
    .action(run(async (id: string | undefined, options) => (await import('./token.ts')).revoke(id, options, terminal)))

  return {
    async run(args) {
      try {
        await program.parseAsync(args, { from: 'user' })
        return code
      } catch (error) {
        if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
        throw error
      }
    },
  }
}

const add = (parent: Command, name: string, description: string) =>
  parent.command(name).description(description).option('--json', 'answer in JSON, for scripts')
/** For every command that reads the settings. */
const withExtensions = (command: Command) =>
  command.option(
    '--without <extension>',
    'leave out an extension, for example one that cannot be loaded; may be repeated',
    (name: string, before?: readonly string[]) => [...(before ?? []), name],
  )
const addWithSite = (parent: Command, name: string, description: string) =>
  withExtensions(add(parent, name, description).argument('[site]', 'the folder of the site', '.'))
const addForSite = (parent: Command, name: string, description: string) =>
  withExtensions(add(parent, name, description).option('--site <folder>', 'the folder of the site', '.'))

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return Number(text)
}

/** Four workers for each core are more than any machine can use. */
function workers(text: string): number {
  if (text === 'auto') return availableParallelism()
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1 || Number(text) > 4 * availableParallelism())
    throw new InvalidArgumentError(`It must be auto or a number from 1 to ${4 * availableParallelism()}.`)
  return Number(text)
}

function days(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > 3660)
    throw new InvalidArgumentError('It must be a number from 1 to 3660.')
  return Number(text)
}
