import { z } from 'zod'
import { message } from '../platform/texts.ts'
import { readCommonSettings, inaccessibleBlueprint, plainOf, type BlueprintContext } from './common-settings.ts'
import { type PageBlueprint, type Status, statuses, type StatusText } from './blueprints.ts'
import { textSetting } from './fields/settings.ts'
import { checkSettings, reportUnknown } from './settings.ts'
import { isEntries, type YamlNode, type ReportProblem, quoteValue } from './source.ts'

export function parsePageBlueprint(context: BlueprintContext, template: string): PageBlueprint {
  const name = `pages/${template}`
  const common = readCommonSettings(context, 'pages', name)
  const get = (setting: string) => common?.settings.value.get(setting)
  return {
    ...(common?.blueprint ?? inaccessibleBlueprint('pages', name)),
    status: parseStatus(get('status'), context.report),
    num: parseNum(get('num'), context.report),
    changeTemplate: common?.options.changeTemplate ?? [],
    preview: common?.options.preview ?? common?.options.options['preview'] !== false,
    create: plainOf(get('create')),
    navigation: plainOf(get('navigation')),
  }
}

export const defaultStatusTexts: Readonly<Record<Status, StatusText>> = {
  draft: { label: message('status.draft'), text: message('status.draft.text') },
  unlisted: { label: message('status.unlisted'), text: message('status.unlisted.text') },
  listed: { label: message('status.listed'), text: message('status.listed.text') },
}

const statusText = z.object({ label: textSetting().optional(), text: textSetting().optional() })

function parseStatus(node: YamlNode | undefined, report: ReportProblem): PageBlueprint['status'] {
  if (!node || node.value === null || node.value === true) return defaultStatusTexts
  if (!isEntries(node)) {
    report(node.at, `"status" must name some of ${statuses.join(', ')}`)
    return defaultStatusTexts
  }
  const chosen = [...node.value].flatMap(([name, entry]): [Status, StatusText][] => {
    const status = statuses.find(one => one === name)
    if (!status) report(entry.at, `there is no status "${name}"; there are ${statuses.join(', ')}`)
    return status && entry.value !== false ? [[status, statusOf(status, entry, report)]] : []
  })
  return {
    ...(chosen.every(([status]) => status !== 'draft') && { draft: defaultStatusTexts.draft }),
    ...Object.fromEntries(chosen),
  }
}

function statusOf(status: Status, node: YamlNode, report: ReportProblem): StatusText {
  if (node.value === null || node.value === true) return defaultStatusTexts[status]
  if (typeof node.value === 'string' || typeof node.value === 'number') return { label: quoteValue(node), text: null }
  if (!isEntries(node)) {
    report(node.at, `"${status}" must be true, false, a text, or a label and a text`)
    return defaultStatusTexts[status]
  }
  reportUnknown(node, ['label', 'text'], report)
  const { label: own = defaultStatusTexts[status].label, text: more = null } =
    checkSettings(statusText, node, report, () => true) ?? {}
  return { label: own, text: more }
}

const numbers: ReadonlyMap<string, string> = new Map([
  ['default', 'default'],
  ['sort', 'default'],
  ['zero', 'zero'],
  ['0', 'zero'],
  ['date', 'date'],
  ['datetime', 'datetime'],
])

function parseNum(node: YamlNode | undefined, report: ReportProblem): string {
  if (!node || node.value === null) return 'default'
  const num = numbers.get(quoteValue(node))
  if (num !== undefined) return num
  if (typeof node.value === 'string' && node.value.includes('{{')) return node.value
  report(node.at, '"num" must be default, zero, date, datetime, or a text such as "{{ page.year }}"')
  return 'default'
}
