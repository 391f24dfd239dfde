import { Check, Minus } from 'lucide-react'
import { Fragment } from 'react'
import { client } from '../app/client.ts'
import { permissionText } from '../extensions/parts.ts'
import { t, textOf } from '../texts/texts.ts'
import { cx } from '../ui/cx.ts'

export const readRoles = async () => (await client.roles.list({ view: 'any', limit: 1000 })).data

export type Role = Awaited<ReturnType<typeof readRoles>>[number]

/** By name: the matrix shows whatever categories and actions the server has. */
const permissionsIn = ({ permissions }: Role): Readonly<Record<string, Readonly<Record<string, boolean>>>> =>
  permissions

export const isAllowed = (role: Role, category: string, action: string): boolean =>
  permissionsIn(role)[category]?.[action] === true

/** Categories in order of importance. */
const categoryOrder = ['access', 'site', 'pages', 'files', 'users', 'user', 'languages']

/** A table of permissions by category and role. The row of a category says whether all, some or none are granted. */
export function Matrix({ roles, onlyDifferent }: { roles: readonly Role[]; onlyDifferent: boolean }) {
  const permissions = roles[0] ? permissionsIn(roles[0]) : {}
  const isShown = (category: string, action: string) =>
    !onlyDifferent || roles.some(role => isAllowed(role, category, action) !== isAllowed(roles[0]!, category, action))
  const actionsIn = (category: string) =>
    Object.keys(permissions[category]!).filter(action => isShown(category, action))
  const categories = [
    ...categoryOrder.filter(name => name in permissions),
    ...Object.keys(permissions).filter(name => !categoryOrder.includes(name)),
  ]
  return (
    // Focusable, so that keyboard users can scroll it sideways.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div
      className="relative overflow-x-auto -outline-offset-2"
      tabIndex={0}
      role="region"
      aria-label={t('roles.matrix')}
    >
      <table className="w-full border-collapse">
        <thead>
          <tr className="border-b">
            <th
              scope="col"
              className="sticky start-0 z-1 min-w-40 bg-surface px-4 py-2 text-start font-medium text-muted"
            >
              {t('roles.action')}
            </th>
            {roles.map(role => (
              <th
                key={role.name}
                scope="col"
                className="max-w-40 min-w-28 px-3 py-2 text-center font-medium wrap-anywhere"
              >
                {role.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {categories
            .filter(category => actionsIn(category).length > 0)
            .map(category => (
              <Fragment key={category}>
                <tr className="border-b bg-sunken">
                  <th scope="rowgroup" className="sticky start-0 z-1 bg-sunken px-4 py-2 text-start font-semibold">
                    {textOf(`roles.category.${category}`) ?? category}
                  </th>
                  {roles.map(role => (
                    <td key={role.name} className="px-3 py-2 text-center text-sm text-muted">
                      {summary(role, category)}
                    </td>
                  ))}
                </tr>
                {actionsIn(category).map(action => (
                  <tr key={action} className="border-b last:border-b-0">
                    <th
                      scope="row"
                      className="sticky start-0 z-1 bg-surface py-1.5 ps-4 pe-3 text-start font-normal sm:ps-8"
                    >
                      {actionText(category, action)}
                    </th>
                    {roles.map(role => (
                      <td key={role.name} className="px-3 py-1.5 text-center">
                        <Mark allowed={isAllowed(role, category, action)} />
                      </td>
                    ))}
                  </tr>
                ))}
              </Fragment>
            ))}
        </tbody>
      </table>
    </div>
  )
}

const actionText = (category: string, action: string) =>
  permissionText(`${category}.${action}`) ??
  textOf(`roles.action.${category}.${action}`) ??
  textOf(`roles.action.${action}`) ??
  action

function summary(role: Role, category: string): string {
  const actions = Object.values(permissionsIn(role)[category] ?? {})
  if (actions.every(Boolean)) return t('roles.all')
  return actions.some(Boolean) ? t('roles.part') : t('roles.nothing')
}

/** Distinguished by shape as well as by colour. */
function Mark({ allowed }: { allowed: boolean }) {
  const Icon = allowed ? Check : Minus
  return (
    <>
      <Icon aria-hidden="true" className={cx('mx-auto', allowed ? 'text-good' : 'text-faint')} />
      <span className="sr-only">{t(allowed ? 'roles.yes' : 'roles.no')}</span>
    </>
  )
}
