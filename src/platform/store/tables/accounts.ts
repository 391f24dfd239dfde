import type { Generated } from 'kysely'
import type { OwnerKind } from './content.ts'

export type UserStatus = 'invited' | 'active' | 'disabled'

export interface UsersTable {
  id: string
  email: string
  email_key: string
  name: string
  /** 1 if the name was explicitly set to an empty text. */
  blank_name: Generated<number>
  role: string
  language: string
  /** Sort key of lists: the name, or else the e-mail address, in lower case. */
  sort_key: string
  status: UserStatus
  /** Sessions, challenges and devices carry the epoch they were created in; raising it ends them all at once. */
  auth_epoch: Generated<number>
  password_hash: string | null
  /** Cost factor of an imported bcrypt hash; null for other hashes. */
  bcrypt_cost: number | null
  password_set_at: number | null
  password_fail_streak: Generated<number>
  password_disabled_at: number | null
  must_change_password: Generated<number>
  totp_secret: string | null
  totp_last_step: Generated<number>
  totp_fail_streak: Generated<number>
  created_at: number
  modified_at: number
  /** Grows with every change of the content. */
  revision: Generated<number>
}

export interface SessionsTable {
  id: string
  token_mac: string
  prev_mac: string | null
  prev_until: number | null
  user_id: string
  auth_epoch: number
  aal: number
  amr: string
  long: number
  ip_prefix: string
  ua_family: string
  created_at: number
  rotated_at: number
  authenticated_at: number
  last_seen_at: number
  idle_until: number
  absolute_until: number
}

export interface ChallengesTable {
  id_mac: string
  kind: string
  user_id: string | null
  auth_epoch: number
  attempts: Generated<number>
  max_attempts: number
  data: string
  expires_at: number
  consumed_at: number | null
}

export interface ApiTokensTable {
  id: string
  token_mac: string
  prefix: string
  name: string
  owner_id: string
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
}

export interface PasskeysTable {
  id: string
  /** The credential id of the authenticator: base64url, up to 1364 characters. */
  credential: string
  user_id: string
  name: string
  /** COSE, base64url. */
  public_key: string
  counter: number
  /** WebAuthn transports, separated by spaces. */
  transports: string
  /** WebAuthn backup eligibility: the passkey may be on several devices, so its counter means little. Never changes. */
  syncable: number
  /** WebAuthn backup state at its last use. */
  synced: number
  created_at: number
  last_used_at: number | null
}

export interface ThrottleTable {
  bucket: string
  /** Theoretical arrival time: when the bucket will be full again. */
  tat: number
  fails: number
  blocked_until: number
  seen_at: number
}

export interface AuditEventsTable {
  id: Generated<number>
  time: number
  event: string
  actor_id: string | null
  subject_id: string | null
  session_id: string | null
  ip_prefix: string | null
  ua_family: string | null
  request_id: string | null
  detail: string
  /** Events of one kind, place and minute share a row with a count: a flood of events cannot fill the disk. */
  count: number
  gathered: string | null
  /** The template of the subject, or its role: decides who sees the event in the feed. */
  template: string | null
  /** The uuid of the page that the event is about, or in which the file is. */
  page: string | null
  /** What a file belongs to, and the template or role of that at the time of the event. */
  parent_kind: OwnerKind | null
  parent_template: string | null
}
