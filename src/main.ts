import { Command, InvalidArgumentError } from 'commander'
import { release } from './release.ts'

const program = new Command('quoin')
  .description('A content management system for TypeScript teams')
  .version(release)
  .showHelpAfterError('Run the command with --help to see how it is used.')
  .configureOutput({
    // What was one argument too many may have been a password.
    outputError: (text, write) => write(text.replace(/ but got (\d+): .*/s, ' but got $1.\n')),
  })
  .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2))

/** Commands, and what tells their errors, are loaded when they are needed: `--help` and a small command do not pay for the server. */
function run<Args extends unknown[]>(command: (...args: Args) => Promise<void>) {
  return async (...args: Args) => {
    try {
      await command(...args)
    } catch (error) {
      const { report } = await import('./cli/terminal.ts')
      const { json } = (args as { json?: boolean }[]).find(argument => typeof argument === 'object') ?? {}
      process.exitCode = report(error, json === true)
    }
  }
}

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

const add = (parent: Command, name: string, description: string) =>
  parent
    .command(name)
    .description(description)
    .option('--json', 'answer in JSON, for scripts')
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2))
const addForSite = (parent: Command, name: string, description: string) =>
  add(parent, name, description).option('--site <folder>', 'the folder of the site', '.')

add(program, 'start', 'Serve a site')
  .argument('[site]', 'the folder of the site', '.')
  .option('--port <number>', 'the port to listen on', port)
  .option('--host <address>', 'the address to listen on')
  .option('--data <folder>', 'where the data is kept')
  .action(run(async (site: string, options) => (await import('./cli/start.ts')).start(site, options)))

add(program, 'init', 'Make a new site')
  .argument('<folder>', 'where it is to be: an empty folder, or one that is made')
  .action(run(async (folder: string, options) => (await import('./cli/init.ts')).init(folder, options)))

add(program, 'check', 'Look for mistakes in the blueprints, and in what is stored')
  .argument('[site]', 'the folder of the site', '.')
  .option('--data', 'also look whether all that is stored agrees: pages, counts, files, search')
  .option('--thorough', 'with --data: read all bytes and count all words, which takes long')
  .option('--repair', 'with --data: remove what belongs to nothing, make counts and the search index anew')
  .action(run(async (site: string, options) => (await import('./cli/check.ts')).check(site, options)))

add(program, 'types', 'Write the blueprints down in TypeScript, for programs that read the site')
  .argument('[site]', 'the folder of the site', '.')
  .option('--out <file>', 'where to; otherwise quoin.types.ts in the folder of the site')
  .option('--watch', 'again whenever a blueprint changes, until it is stopped')
  .action(run(async (site: string, options) => (await import('./cli/types.ts')).types(site, options)))

const user = program.command('user').description('Manage accounts')
addForSite(user, 'create', 'Make an account')
  .requiredOption('--email <address>', 'the e-mail address to sign in with')
  .option('--name <name>', 'the name of the person')
  .option('--role <role>', 'what the person may do', 'admin')
  .option('--language <code>', 'the language of the interface')
  .option('--password-stdin', 'read the password from standard input')
  .action(run(async options => (await import('./cli/user.ts')).create(options)))
addForSite(user, 'list', 'List all accounts').action(
  run(async options => (await import('./cli/user.ts')).list(options)),
)
addForSite(user, 'password', 'Set a new password and end all sessions and API tokens')
  .argument('<account>', 'e-mail address or id')
  .option('--password-stdin', 'read the password from standard input')
  .action(run(async (name: string, options) => (await import('./cli/user.ts')).changePassword(name, options)))
addForSite(user, 'invite', 'Send the invitation of a new account again, or print its link where there is no mail')
  .argument('<account>', 'e-mail address or id')
  .action(run(async (name: string, options) => (await import('./cli/user.ts')).invite(name, options)))
addForSite(user, 'reset', 'Send a link to choose a new password, or print it where there is no mail')
  .argument('<account>', 'e-mail address or id')
  .action(run(async (name: string, options) => (await import('./cli/user.ts')).reset(name, options)))
addForSite(user, 'enable', 'Let a disabled account sign in again')
  .argument('<account>', 'e-mail address or id')
  .action(run(async (name: string, options) => (await import('./cli/user.ts')).enable(name, options)))
addForSite(user, 'disable', 'Keep an account from signing in and end its sessions and API tokens')
  .argument('<account>', 'e-mail address or id')
  .action(run(async (name: string, options) => (await import('./cli/user.ts')).disable(name, options)))
addForSite(user, 'delete', 'Delete an account')
  .argument('<account>', 'e-mail address or id')
  .action(run(async (name: string, options) => (await import('./cli/user.ts')).remove(name, options)))

const trash = program.command('trash').description('Look after what has been deleted')
addForSite(trash, 'list', 'List what is in the trash').action(
  run(async options => (await import('./cli/trash.ts')).list(options)),
)
addForSite(trash, 'restore', 'Restore a page, a file or an account')
  .argument('<id>', 'the id of the entry')
  .option('--parent <page>', 'another page to be below or to belong to; / for the site itself')
  .option('--slug <slug>', 'another slug of a page')
  .option('--name <name>', 'another name of a file, without its extension')
  .option('--email <address>', 'another address of an account')
  .action(run(async (id: string, options) => (await import('./cli/trash.ts')).restore(id, options)))
addForSite(trash, 'delete', 'Delete an entry of the trash for good')
  .argument('[id]', 'the id of the entry')
  .option('--all', 'all of them')
  .action(run(async (id: string | undefined, options) => (await import('./cli/trash.ts')).remove(id, options)))

addForSite(
  program,
  'import',
  'Make a folder of text files part of a site: pages, files, accounts, languages, blueprints',
)
  .argument('<folder>', 'the folder with content/ and site/ in it')
  .option('--dry-run', 'only say what would be done')
  .action(run(async (folder: string, options) => (await import('./cli/import.ts')).importSite(folder, options)))

addForSite(program, 'export', 'Write a site into a folder of text files, which `import` reads')
  .argument('<folder>', 'where content/ and site/ are to be; empty, or made by an earlier export')
  .option('--force', 'replace what is there, whoever has made it')
  .action(run(async (folder: string, options) => (await import('./cli/export.ts')).exportSite(folder, options)))

addForSite(program, 'backup', 'Keep all that is stored, rows and files, in one archive; a server may run meanwhile')
  .argument('<file>', 'the archive to write, .tar or .tar.gz')
  .option('--without-secrets', 'leave out what opens sessions, passwords and second factors')
  .option('--incomplete', 'go on when bytes of files are missing or damaged')
  .option('--force', 'replace the archive if there is one')
  .action(run(async (file: string, options) => (await import('./cli/backup.ts')).backupSite(file, options)))

addForSite(program, 'restore', 'Bring back what an archive holds')
  .argument('<file>', 'the archive')
  .option('--dry-run', 'only verify the archive')
  .option('--force', 'replace the site that is there')
  .option('--while-running', 'although a server is running on it, which has to be restarted afterwards')
  .action(run(async (file: string, options) => (await import('./cli/backup.ts')).restoreSite(file, options)))

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
      media ? (await import('./cli/copy-media.ts')).copyMedia(options) : (await import('./cli/copy.ts')).copy(options),
    ),
  )

addForSite(program, 'migrate', 'Bring the store up to date')
  .option('--dry-run', 'only say what would be done')
  .action(run(async options => (await import('./cli/migrate.ts')).migrate(options)))

const auth = program.command('auth').description('Look after signing in')
add(auth, 'calibrate', 'Measure how strong password hashing can be on this machine').action(
  run(async options => (await import('./cli/auth.ts')).calibrate(options)),
)
addForSite(auth, 'revoke-all', 'End all sessions and API tokens of all accounts').action(
  run(async options => (await import('./cli/auth.ts')).revokeAll(options)),
)
addForSite(auth, 'unblock', 'End the pauses that follow failed sign-ins')
  .option('--email <address>', 'for one e-mail address')
  .option('--all', 'for all addresses and networks')
  .action(run(async options => (await import('./cli/auth.ts')).unblock(options)))

const token = program.command('token').description('Manage the API tokens of accounts')
addForSite(token, 'create', 'Create an API token for an account, and print it once')
  .requiredOption('--user <account>', 'e-mail address or id')
  .requiredOption('--name <name>', 'what the token is for')
  .requiredOption('--scope <scope...>', 'what it may do: *, pages.*, pages.read …')
  .option('--days <number>', 'how long it is valid; otherwise it does not expire', days)
  .action(run(async options => (await import('./cli/token.ts')).create(options)))
addForSite(token, 'list', 'List API tokens')
  .option('--user <account>', 'only those of one account: e-mail address or id')
  .action(run(async options => (await import('./cli/token.ts')).list(options)))
addForSite(token, 'revoke', 'Revoke an API token, or all of an account')
  .argument('[token]', 'the id of the token, as listed')
  .option('--user <account>', 'of this account: e-mail address or id')
  .action(run(async (id: string | undefined, options) => (await import('./cli/token.ts')).revoke(id, options)))

await program.parseAsync()
