import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { release } from '../platform/release.ts'
import type { ExitCode, Terminal } from './terminal.ts'

export interface Program {
  /** Runs one command. A server that it starts keeps running. */
  run(args: readonly string[]): Promise<ExitCode>
}

/**
 * The command line. It uses only the given terminal and not the process, so that tests can run commands without
 * starting a process.
 */
export function createProgram(terminal: Terminal): Program {
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

  add(program, 'start', 'Serve a site')
    .argument('[site]', 'the folder of the site', '.')
    .option('--port <number>', 'the port to listen on', port)
    .option('--host <address>', 'the address to listen on')
    .option('--data <folder>', 'where the data is kept')
    .action(run(async (site: string, options) => (await import('./start.ts')).start(site, options, terminal)))

  add(program, 'init', 'Make a new site')
    .argument('<folder>', 'where it is to be: an empty folder, or one that is made')
    .action(run(async (folder: string, options) => (await import('./init.ts')).init(folder, options, terminal)))

  add(program, 'check', 'Look for mistakes in the blueprints, and in what is stored')
    .argument('[site]', 'the folder of the site', '.')
    .option('--data', 'also look whether all that is stored agrees: pages, counts, files, search')
    .option('--thorough', 'with --data: read all bytes and count all words, which takes long')
    .option('--repair', 'with --data: remove what belongs to nothing, make counts and the search index anew')
    .action(run(async (site: string, options) => (await import('./check.ts')).check(site, options, terminal)))

  add(program, 'types', 'Write the blueprints down in TypeScript, for programs that read the site')
    .argument('[site]', 'the folder of the site', '.')
    .option('--out <file>', 'where to; otherwise quoin.types.ts in the folder of the site')
    .option('--watch', 'again whenever a blueprint changes, until it is stopped')
    .action(run(async (site: string, options) => (await import('./types.ts')).types(site, options, terminal)))

  const user = program.command('user').description('Manage accounts')
  addForSite(user, 'create', 'Make an account')
    .requiredOption('--email <address>', 'the e-mail address to sign in with')
    .option('--name <name>', 'the name of the person')
    .option('--role <role>', 'what the person may do', 'admin')
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
  addForSite(user, 'invite', 'Send the invitation of a new account again, or print its link where there is no mail')
    .argument('<account>', 'e-mail address or id')
    .action(run(async (name: string, options) => (await import('./user.ts')).invite(name, options, terminal)))
  addForSite(user, 'reset', 'Send a link to choose a new password, or print it where there is no mail')
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

  const trash = program.command('trash').description('List, restore and delete what is in the trash')
  addForSite(trash, 'list', 'List what is in the trash').action(
    run(async options => (await import('./trash.ts')).list(options, terminal)),
  )
  addForSite(trash, 'restore', 'Restore a page, a file or an account')
    .argument('<id>', 'the id of the entry')
    .option('--parent <page>', 'another page to be below or to belong to; / for the site itself')
    .option('--slug <slug>', 'another slug of a page')
    .option('--name <name>', 'another name of a file, without its extension')
    .option('--email <address>', 'another address of an account')
    .action(run(async (id: string, options) => (await import('./trash.ts')).restore(id, options, terminal)))
  addForSite(trash, 'delete', 'Delete an entry of the trash for good')
    .argument('[id]', 'the id of the entry')
    .option('--all', 'all of them')
    .action(run(async (id: string | undefined, options) => (await import('./trash.ts')).remove(id, options, terminal)))

  addForSite(
    program,
    'import',
    'Make a folder of text files part of a site: pages, files, accounts, languages, blueprints',
  )
    .argument('<folder>', 'the folder with content/ and site/ in it')
    .option('--dry-run', 'only say what would be done')
    .action(run(async (folder: string, options) => (await import('./import.ts')).importSite(folder, options, terminal)))

  addForSite(program, 'export', 'Write a site into a folder of text files, which `import` reads')
    .argument('<folder>', 'where content/ and site/ are to be; empty, or made by an earlier export')
    .option('--force', 'replace what is there, whoever has made it')
    .action(run(async (folder: string, options) => (await import('./export.ts')).exportSite(folder, options, terminal)))

  addForSite(program, 'backup', 'Keep all that is stored, rows and files, in one archive; a server may run meanwhile')
    .argument('<file>', 'the archive to write, .tar or .tar.gz')
    .option('--without-secrets', 'leave out what opens sessions, passwords and second factors')
    .option('--incomplete', 'go on when bytes of files are missing or damaged')
    .option('--force', 'replace the archive if there is one')
    .action(run(async (file: string, options) => (await import('./backup.ts')).backupSite(file, options, terminal)))

  addForSite(program, 'restore', 'Bring back what an archive holds')
    .argument('<file>', 'the archive')
    .option('--dry-run', 'only verify the archive')
    .option('--force', 'replace the site that is there')
    .option('--while-running', 'although a server is running on it, which has to be restarted afterwards')
    .action(run(async (file: string, options) => (await import('./backup.ts')).restoreSite(file, options, terminal)))

  addForSite(
    program,
    'copy',
    'Copy all rows into another store, or all bytes into another storage; it can be stopped and started again',
  )
    .requiredOption('--to <address>', 'postgres://… or the path of a SQLite file; with --media: s3 or disk')
    .option('--media', 'copy the bytes of files between data/media and the bucket of the settings (media.s3)')
    .option('--force', 'replace the site that is in the target')
    .action(
      run(async ({ media, ...options }) =>
        media
          ? (await import('./copy-media.ts')).copyMedia(options, terminal)
          : (await import('./copy.ts')).copy(options, terminal),
      ),
    )

  addForSite(program, 'migrate', 'Bring the store up to date')
    .option('--dry-run', 'only say what would be done')
    .action(run(async options => (await import('./migrate.ts')).migrate(options, terminal)))

  const auth = program.command('auth').description('End sessions and unblock sign-in')
  add(auth, 'calibrate', 'Measure how strong password hashing can be on this machine').action(
    run(async options => (await import('./auth.ts')).calibrate(options, terminal)),
  )
  addForSite(auth, 'revoke-all', 'End all sessions and API tokens of all accounts').action(
    run(async options => (await import('./auth.ts')).revokeAll(options, terminal)),
  )
  addForSite(auth, 'unblock', 'End the pauses that follow failed sign-ins')
    .option('--email <address>', 'for one e-mail address')
    .option('--all', 'for all addresses and networks')
    .action(run(async options => (await import('./auth.ts')).unblock(options, terminal)))

  const token = program.command('token').description('Manage the API tokens of accounts')
  addForSite(token, 'create', 'Create an API token for an account, and print it once')
    .requiredOption('--user <account>', 'e-mail address or id')
    .requiredOption('--name <name>', 'what the token is for')
    .requiredOption('--scope <scope...>', 'what it may do: *, pages.*, pages.read …')
    .option('--days <number>', 'how long it is valid; otherwise it does not expire', days)
    .action(run(async options => (await import('./token.ts')).create(options, terminal)))
  addForSite(token, 'list', 'List API tokens')
    .option('--user <account>', 'only those of one account: e-mail address or id')
    .action(run(async options => (await import('./token.ts')).list(options, terminal)))
  addForSite(token, 'revoke', 'Revoke an API token, or all of an account')
    .argument('[token]', 'the id of the token, as listed')
    .option('--user <account>', 'of this account: e-mail address or id')
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
const addForSite = (parent: Command, name: string, description: string) =>
  add(parent, name, description).option('--site <folder>', 'the folder of the site', '.')

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return Number(text)
}

function days(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > 3660)
    throw new InvalidArgumentError('It must be a number from 1 to 3660.')
  return Number(text)
}
