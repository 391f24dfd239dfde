import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { App } from '../../app.ts'
import type { ActorContext, PreviewPass } from '../actor.ts'
import type { Tx } from '../../platform/store/store.ts'
import { selectRevocation, upsertRevocation } from './queries.ts'
import { readReleasePreview } from './release.ts'

const prefix = 'quoin-preview_'
const pattern = /^quoin-preview_([\w-]{1,500})\.([\w-]{43})$/
const payload = z.tuple([z.string(), z.string().nullable(), z.int(), z.int()])

/** A pass is not stored: its content is part of it, with a keyed hash that only this server can create. */
export function encodePass({ secrets }: App, { scope, language, createdAt, expiresAt }: PreviewPass): string {
  const text = Buffer.from(JSON.stringify([scope, language ?? null, createdAt, expiresAt])).toString('base64url')
  return `${prefix}${text}.${secrets.mac('vault', 'preview-pass', text)}`
}

/** In ms. */
const ownPassLifetimeMs = 60_000

/**
 * A pass for a request of the server itself to the front end. It is not given to a user, so the audit log does not have
 * it.
 */
export async function createOwnPass(app: App, pass: Pick<PreviewPass, 'scope' | 'language'>): Promise<string> {
  const [found] = await selectRevocation(app.store, pass.scope)
  return encodePass(app, { ...pass, createdAt: found!.now, expiresAt: found!.now + ownPassLifetimeMs })
}

/** The pass of the actor, if it opens this page (`page://…`) or the site. */
export function passFor({ app, actor }: ActorContext, owner: string): string | undefined {
  const pass = actor.isAnonymous ? actor.pass : undefined
  return pass && opens(pass, owner) ? encodePass(app, pass) : undefined
}

/** Whether the pass is for this page, for the whole site, or for a release with the page. */
export const opens = ({ scope, release }: PreviewPass, owner: string): boolean =>
  release ? release.owners.includes(owner) : scope === 'site://' || scope === owner

export const isPass = (bearer: string) => bearer.startsWith(prefix)

/** Undefined if it was tampered with, belongs to another server, has expired or was revoked. */
export async function findPass(app: App, bearer: string): Promise<PreviewPass | undefined> {
  const [, text, mac] = pattern.exec(bearer) ?? []
  if (text === undefined || mac === undefined) return undefined
  const isOurs = app.secrets
    .macs('vault', 'preview-pass', text)
    .some(known => timingSafeEqual(Buffer.from(known), Buffer.from(mac)))
  if (!isOurs) return undefined
  const [scope, language, createdAt, expiresAt] = payload.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  const [found] = await selectRevocation(app.store, scope)
  const { now, revoked_at } = found!
  const isRevoked = revoked_at !== null && createdAt <= revoked_at
  if (isRevoked || expiresAt <= now) return undefined
  const release = await readReleasePreview(app.store, scope)
  return { scope, language: language ?? undefined, createdAt, expiresAt, release }
}

/** Revokes every pass of this scope that exists now. */
export async function revokePasses(tx: Tx, scope: string): Promise<void> {
  await upsertRevocation(tx, scope)
}
