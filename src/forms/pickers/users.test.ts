import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp } from '../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'

const storage = await createTestStorage()
describeRole(storage, 'member', 'fields: { mates: { type: users } }\npermissions: { access: { users: false } }')
describeRole(storage, 'admin', 'fields: { mates: { type: users } }')
const site = await createTestApp({ storage })

test('a users field shows accounts, without deleted and invisible ones', async () => {
  const admin = await createSignedInUser(site)
  const mate = await addUser(site, { role: 'member' })
  const sent = [`user://${mate.id}`, admin.email, 'user://nobody00']
  const answer = await admin.call('PATCH', 'account', { mates: sent })
  const { content } = answer.json<{ data: { content: { mates: Record<string, unknown>[] } } }>().data
  expect(content.mates).toEqual([
    {
      email: mate.email,
      id: mate.id,
      image: { back: 'black', color: 'gray-500', cover: false, icon: 'user', ratio: '1/1' },
      info: '',
      link: `/users/${mate.id}`,
      sortable: true,
      text: mate.email,
      username: mate.email,
      uuid: `user://${mate.id}`,
    },
    expect.objectContaining({ id: admin.id, link: '/account' }),
  ])
  expect(
    (await admin.call('PATCH', 'account', { mates: content.mates })).json(),
    'entries can be sent back',
  ).toMatchObject({
    data: { content },
  })
  const member = await createSignedInUser(site, { role: 'member' })
  const own = await member.call('PATCH', 'account', { mates: [`user://${admin.id}`, `user://${member.id}`] })
  expect(own.json()).toMatchObject({ data: { content: { mates: [{ id: member.id }] } } })
})
