import { useQuery } from '@tanstack/react-query'
import { TokensCard } from '../account/tokens.tsx'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { t } from '../texts/texts.ts'
import type { UserModel } from './model.ts'

/** API tokens of another account, such as one of a service. */
export function UserTokens({ user: { id, username } }: { user: UserModel }) {
  const { data: permissions } = useQuery({
    queryKey: keys.user(id, 'permissions'),
    queryFn: async () => {
      const answer = await client.users.get({ id, select: { permissions: '' } })
      return answer.permissions
    },
  })
  const texts = { title: t('users.tokens'), text: t('users.tokens.text'), none: t('users.tokens.none') }
  return permissions ? <TokensCard owner={{ id, permissions, name: username }} {...texts} /> : null
}
