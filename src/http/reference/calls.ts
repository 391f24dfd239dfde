import type { Example } from './examples.ts'
import type { Operation } from './document.ts'

/** A call with curl: the recorded one, or one with placeholders. */
export function curlOf(operation: Operation, example: Example | undefined): string {
  const { method, path, requestBody } = operation
  const url = example?.request.url ?? path
  const isFree = operation['x-access'] === 'public'
  const isFresh = operation['x-fresh'] !== undefined
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$SITE${url}"`,
    ...(isFree ? [] : isFresh ? ['-b "$COOKIES" -H "X-CSRF: $CSRF"'] : ['-H "Authorization: Bearer $TOKEN"']),
  ]
  if (example?.request.file !== undefined) lines.push(`-F "file=@${example.request.file}"`)
  else if (example?.request.body !== undefined)
    lines.push(
      `-H "Content-Type: application/json"`,
      `-d '${JSON.stringify(example.request.body).replaceAll("'", String.raw`'\''`)}'`,
    )
  else if (!example && requestBody) lines.push(`-H "Content-Type: application/json"`, "-d '{ … }'")
  return lines.join(' \\\n  ')
}

/** The same call with the typed client. `clientParameters` is what its method takes: `query`, `body`, `form`, `options`. */
export function clientCallOf(operation: Operation, example: Example | undefined, clientParameters: string): string {
  const [path = '', query = ''] = (example?.request.url ?? operation.path).split('?')
  const inPath = Object.fromEntries(pathValues(operation.path, path))
  const inQuery = Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, typed(name, value)]))
  const options = clientParameters.includes('options') ? inQuery : {}
  const first = clientParameters.includes('options') ? inPath : { ...inPath, ...inQuery }
  const hasBody = /body|form/.test(clientParameters)
  const hasUrl = operation.path.includes('{') || clientParameters.includes('query')
  const body = clientParameters.includes('form')
    ? 'form'
    : example?.request.body === undefined
      ? ''
      : source(example.request.body)
  const all = [
    ...(hasUrl ? [Object.keys(first).length > 0 ? source(first) : hasBody && body !== '' ? '{}' : ''] : []),
    ...(hasBody ? [body] : []),
    ...(Object.keys(options).length > 0 ? [source(options)] : []),
  ]
  while (all.at(-1) === '') all.pop()
  const call = `await client.${operation.operationId}(${all.map(one => one || '{}').join(', ')})`
  return clientParameters.includes('form') ? `const form = new FormData()\nform.set('file', file)\n${call}` : call
}

function pathValues(template: string, path: string): [name: string, value: string][] {
  const values = path.split('/')
  return template.split('/').flatMap((part, index) => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    return name === undefined ? [] : [[name, decodeURIComponent(values[index] ?? part)] as [string, string]]
  })
}

/** As in TypeScript: `select` is a list, numbers are numbers. */
const typed = (name: string, value: string): unknown =>
  name === 'select' ? value.split(',') : name === 'limit' || name === 'page' ? Number(value) : value

/** A value as TypeScript writes it. */
function source(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
  if (Array.isArray(value)) return `[${value.map(source).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(
    ([name, one]) => `${/^[a-z_]\w*$/i.test(name) ? name : source(name)}: ${source(one)}`,
  )
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
