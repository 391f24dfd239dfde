/**
 * Why a backup or restore is refused, in one line. No row and no secret has been changed; a restore may already have
 * stored blobs.
 */
export class BackupRefusal extends Error {}
