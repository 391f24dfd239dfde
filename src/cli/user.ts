import { sendInvitationOrLink } from '../groups/users/invitation/invitation.ts'
import { sendResetOrLink } from '../groups/users/password/reset.ts'
import { roleMustExist } from '../groups/users/rules.ts'
import {
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  findUser,
  listUsers,
  setPassword,
} from '../groups/users/users.ts'
import { operatorContext, withSite } from './site.ts'
import { newPassword, print, type Terminal } from './terminal.ts'

export interface UserOptions {
  site: string
  json?: boolean
}

export interface CreateUserOptions extends UserOptions {
  email: string
  name?: string
  role: string
  language?: string
  passwordStdin?: boolean
}

export async function create(
  { site, json = false, passwordStdin = false, ...user }: CreateUserOptions,
  terminal: Terminal,
): Promise<void> {
  await withSite(site, terminal, async app => {
    roleMustExist(app, user.role)
    const password = await newPassword(terminal, passwordStdin)
    const id = await createUser(operatorContext(app), { ...user, password, shownReferences: 'all' })
    print(terminal, json, { status: 'ok', id, email: user.email }, `Created the account ${user.email} (${user.role}).`)
  })
}

export async function list({ site, json = false }: UserOptions, terminal: Terminal): Promise<void> {
  await withSite(site, terminal, async app => {
    const users = (await listUsers(app)).map(({ id, email, name, role, status }) => ({ id, email, name, role, status }))
    const rows = users.map(user => `${user.id}  ${user.status.padEnd(8)}  ${user.role.padEnd(12)}  ${user.email}`)
    print(terminal, json, users, rows.join('\n') || 'There is no account yet.')
  })
}

export async function changePassword(
  name: string,
  { site, json = false, passwordStdin = false }: UserOptions & { passwordStdin?: boolean },
  terminal: Terminal,
): Promise<void> {
  await withSite(site, terminal, async app => {
    const user = await findUser(app, name)
    await setPassword(operatorContext(app), user, await newPassword(terminal, passwordStdin))
    print(
      terminal,
      json,
      { status: 'ok', id: user.id },
      `Changed the password of ${user.email} and ended all its sessions and API tokens.`,
    )
  })
}

export async function enable(name: string, { site, json = false }: UserOptions, terminal: Terminal): Promise<void> {
  await withSite(site, terminal, async app => {
    const user = await findUser(app, name)
    await enableUser(operatorContext(app), user)
    print(terminal, json, { status: 'ok', id: user.id }, `${user.email} may sign in again.`)
  })
}

export async function disable(name: string, { site, json = false }: UserOptions, terminal: Terminal): Promise<void> {
  await withSite(site, terminal, async app => {
    const user = await findUser(app, name)
    await disableUser(operatorContext(app), user)
    print(
      terminal,
      json,
      { status: 'ok', id: user.id },
      `${user.email} can no longer sign in; all its sessions and API tokens are ended.`,
    )
  })
}

/** Sends the invitation by mail. If no mail can be sent, prints the link, for the operator to pass on. */
export async function invite(name: string, { site, json = false }: UserOptions, terminal: Terminal): Promise<void> {
  await withSite(site, terminal, async app => {
    const user = await findUser(app, name)
    const { link, sent } = await sendInvitationOrLink(operatorContext(app), user)
    if (sent) print(terminal, json, { status: 'ok', id: user.id }, `The invitation is on its way to ${user.email}.`)
    else
      print(
        terminal,
        json,
        { status: 'ok', id: user.id, link },
        `Give this link to ${user.email}. It expires in a week:\n${link}`,
      )
  })
}

export async function reset(name: string, { site, json = false }: UserOptions, terminal: Terminal): Promise<void> {
  await withSite(site, terminal, async app => {
    const user = await findUser(app, name)
    const { link, sent } = await sendResetOrLink(operatorContext(app), user)
    if (sent)
      print(
        terminal,
        json,
        { status: 'ok', id: user.id },
        `A link to choose a new password is on its way to ${user.email}.`,
      )
    else
      print(
        terminal,
        json,
        { status: 'ok', id: user.id, link },
        `Give this link to ${user.email}. It expires in ten minutes:\n${link}`,
      )
  })
}

export async function remove(name: string, { site, json = false }: UserOptions, terminal: Terminal): Promise<void> {
  await withSite(site, terminal, async app => {
    const user = await findUser(app, name)
    await deleteUser(operatorContext(app), user)
    print(terminal, json, { status: 'ok', id: user.id }, `Deleted the account ${user.email}.`)
  })
}
