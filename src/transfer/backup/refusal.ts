/** The command cannot be done. The message is one line; nothing has been written. */
export class BackupRefusal extends Error {}
