import { describeAccess } from './access.ts'
import { clientCallOf, curlOf } from './calls.ts'
import { type OpenApiDocument, type Operation, operationsOf, resolve } from './document.ts'
import type { Example } from './examples.ts'
import { markup, type Html, prose } from './html.ts'
import type { Schema } from './schemas.ts'
import { propertiesOf, referencesIn, typeText } from './types.ts'

/** The OpenAPI document, and what the reference shows in addition. References of older releases lack some of it. */
export interface Sources {
  document: OpenApiDocument
  exampleOf?: (name: string) => Example | undefined
  /** Names of the parameters of the client method, separated by spaces: `query body`. */
  clientParameters?: (name: string) => string | undefined
  /** Status and text of an error, by its key without `error.` */
  errors?: Readonly<Record<string, readonly [status: number, text: string]>>
  commonErrors?: readonly string[]
}

/** Functions that render the pages of the reference, by file name: an index, and one page per group. */
export function referencePages(input: Sources): Map<string, () => string> {
  const { document } = input
  const operations = operationsOf(document)
  const sources = { ...input, operations }
  const groups = document.tags.map(tag => ({
    ...tag,
    file: `${tag.name.toLowerCase()}.html`,
    operations: operations.filter(({ tags }) => tags[0] === tag.name),
  }))
  const pages = new Map([['index.html', () => indexPage(sources, groups)]])
  for (const group of groups) pages.set(group.file, () => groupPage(sources, groups, group))
  return pages
}

interface AllSources extends Sources {
  operations: readonly Operation[]
}

interface Group {
  name: string
  description: string
  file: string
  operations: Operation[]
}

function layout(
  version: string,
  title: string,
  groups: readonly Group[],
  current: Group | undefined,
  main: Html,
): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Quoin ${version}</title>
<link rel="stylesheet" href="reference.css">
<script src="search.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="brand" href="index.html">Quoin</a>
<span class="line">API reference ${version}</span>
</header>
<nav aria-label="Groups">
<ul>
${groups.map(
  group => markup`<li><a href="${group.file}"${group === current && markup` aria-current="page"`}>${group.name}</a>${group === current && operationLinks(group)}</li>
`,
)}</ul>
</nav>
<main id="main">
${main}</main>
</body>
</html>
`.html
}

const operationLinks = ({ operations }: Group) => markup`
<ul>
${operations.map(
  ({ operationId, summary }) => markup`<li><a href="#${operationId}">${summary}</a></li>
`,
)}</ul>`

// ---- the index

function indexPage({ document, errors = {}, commonErrors = [] }: Sources, groups: readonly Group[]): string {
  const { info } = document
  const main = markup`<h1>API reference</h1>
${(info.description ?? '').split('\n\n').map(
  text =>
    text !== '' &&
    markup`<p>${prose(text)}</p>
`,
)}<div class="search" hidden><label for="search">Search operations</label><input id="search" type="search" autocomplete="off" placeholder="title, PATCH, /files …"><p role="status"></p></div>
${groups.map(
  group => markup`<section class="group">
<h2><a href="${group.file}">${group.name}</a></h2>
<p>${group.description}</p>
<ul class="operations">
${group.operations.map(
  one => markup`<li><a href="${group.file}#${one.operationId}"><span class="method ${one.method.toLowerCase()}">${one.method}</span><code>${one.path}</code><span>${one.summary}</span></a></li>
`,
)}</ul>
</section>
`,
)}${
    commonErrors.length > 0 &&
    markup`<section id="errors">
<h2>Errors of every operation</h2>
<p>Each operation lists its own errors. These may be the answer to any request.</p>
${errorTable(commonErrors, errors)}</section>
`
  }`
  return layout(info.version, 'API reference', groups, undefined, main)
}

// ---- a group

function groupPage(sources: AllSources, groups: readonly Group[], group: Group): string {
  const { document } = sources
  const files = new Map(groups.flatMap(({ file, operations }) => operations.map(one => [one.operationId, file])))
  const linkOf = (name: string) => {
    const file = files.get(name)
    return file === undefined ? undefined : `${file === group.file ? '' : file}#${name}`
  }
  const schemas = namedSchemas(document, group.operations)
  const main = markup`<h1>${group.name}</h1>
<p>${group.description}</p>
${group.operations.map(one => operationSection(sources, one, linkOf))}${
    schemas.length > 0 &&
    markup`<section>
<h2 id="schemas">Schemas</h2>
<p>Every property of a model may be missing: <code>select</code> and <code>view</code> choose what is sent.</p>
${schemas.map(name => schemaSection(name, document.components['schemas']![name] as Schema))}</section>
`
  }`
  return layout(document.info.version, group.name, groups, group, main)
}

/** The names of all schemas that operations refer to, also those inside of other schemas, sorted. */
function namedSchemas(document: OpenApiDocument, operations: readonly Operation[]): string[] {
  const found = new Set<string>()
  const shown = operations.map(({ parameters, requestBody, responses }) => [
    parameters,
    requestBody,
    Object.entries(responses).filter(([status]) => status.startsWith('2')),
  ])
  const queue = referencesIn(shown)
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue
    found.add(name)
    queue.push(...referencesIn(document.components['schemas']![name]))
  }
  return [...found].toSorted()
}

function schemaSection(name: string, schema: Schema): Html {
  const [base, more] = (schema['allOf'] ?? []) as [Schema?, Schema?]
  const rows = propertiesOf(more ?? schema)
  return markup`<section class="schema" id="schema-${name}">
<h3>${name}</h3>
${
  base &&
  markup`<p>All properties of ${typeText(base)}, and:</p>
`
}${
    rows.length > 0
      ? table(rows)
      : markup`<p>${typeText(schema)}</p>
`
  }</section>
`
}

// ---- an operation

function operationSection(
  sources: AllSources,
  operation: Operation,
  linkOf: (name: string) => string | undefined,
): Html {
  const { document, errors = {} } = sources
  const { operationId, summary, method, path, parameters, requestBody } = operation
  const example = sources.exampleOf?.(operationId)
  const clientParameters = sources.clientParameters?.(operationId)
  const access = operation['x-access']
  const keys = operation['x-errors'] ?? []
  return markup`<article id="${operationId}">
<h2><a class="anchor" href="#${operationId}">${summary}</a></h2>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span><code>${path}</code></p>
${descriptionOf(operation, sources, linkOf)}<dl class="facts"><div><dt>Name</dt><dd><code>${operationId}</code></dd></div>${access.includes('.') && markup`<div><dt>Permission</dt><dd><code>${access}</code></dd></div>`}</dl>
${
  parameters.length > 0 &&
  markup`<h3>Parameters</h3>
${table(parameters.map(parameterRow))}`
}${requestBody && bodySection(document, requestBody)}<h3>Response</h3>
${Object.entries(operation.responses)
  .filter(([status]) => status.startsWith('2'))
  .map(([status, one]) => responseSection(document, status, one.content?.['application/json']?.schema))}${
    keys.length > 0 &&
    markup`<h3>Errors</h3>
${errorTable(keys, errors)}`
  }<h3>Example</h3>
<pre><code>${curlOf(operation, example)}</code></pre>
${
  clientParameters !== undefined &&
  markup`<pre><code>${clientCallOf(operation, example, clientParameters)}</code></pre>
`
}${
    example &&
    markup`<pre class="json"><code>${JSON.stringify(example.answer.body, undefined, 2)}</code></pre>
`
  }</article>
`
}

/**
 * What an operation does, and who may call it. A description that refers to another operation with the same one
 * (`shareDescriptions` in openapi.ts) is written out.
 */
function descriptionOf(
  operation: Operation,
  { operations }: AllSources,
  linkOf: (name: string) => string | undefined,
): Html {
  const { description = '' } = operation
  const [, referredId] = /^As `([\w.]+)`\.$/.exec(description) ?? []
  const referred = operations.find(({ operationId }) => operationId === referredId)
  const written = referred?.description ?? description
  return markup`${[...written.split('\n\n'), describeAccess(operation)].map(
    text =>
      text !== '' &&
      markup`<p>${prose(text)}</p>
`,
  )}${
    referred !== undefined &&
    markup`<p>${prose(`The same as \`${referredId}\`.`, linkOf)}</p>
`
  }`
}

const table = (rows: readonly Html[]) => markup`<div class="scroll"><table><tbody>
${rows}</tbody></table></div>
`

const parameterRow = ({
  name,
  in: place,
  required,
  description,
  schema,
}: Operation['parameters'][number]) => markup`<tr>
<th scope="row"><code>${name}</code>${required === true && markup` <span class="required">required</span>`}</th>
<td>${typeText(schema)} <span class="place">in the ${place}</span>${description !== undefined && markup`<p>${prose(description)}</p>`}</td>
</tr>
`

function bodySection(document: OpenApiDocument, { required, content }: NonNullable<Operation['requestBody']>): Html {
  const [[, { schema }]] = Object.entries(content) as [[string, { schema: Schema }]]
  const resolved = resolve(document, schema)
  const variants = (resolved['anyOf'] ?? resolved['oneOf']) as Schema[] | undefined
  const kinds = Object.keys(content).map((kind, index) => markup`${index > 0 && ' or '}<code>${kind}</code>`)
  return markup`<h3>Body${required !== true && markup` <span class="place">may be omitted</span>`}</h3>
<p>${kinds}</p>
${(variants ?? [resolved]).map((one, index) => {
  const rows = propertiesOf(resolve(document, one), true)
  return markup`${
    variants &&
    markup`<h4>Variant ${index + 1}</h4>
`
  }${
    rows.length > 0
      ? table(rows)
      : markup`<p>${typeText(one)}</p>
`
  }`
})}`
}

function responseSection(document: OpenApiDocument, status: string, schema: Schema | undefined): Html {
  if (!schema)
    return markup`<p><code>${status}</code></p>
`
  const resolved = resolve(document, schema)
  const rows = propertiesOf(resolved)
  return markup`<p><code>${status}</code>${schema.$ref !== undefined && markup` ${typeText(schema)}`}</p>
${
  schema.$ref === undefined &&
  (rows.length > 0
    ? table(rows)
    : markup`<p>${typeText(schema)}</p>
`)
}`
}

function errorTable(keys: readonly string[], errors: NonNullable<Sources['errors']>): Html {
  return table(
    keys.map(key => {
      const [status, text] = errors[key] ?? []
      return markup`<tr>
<th scope="row"><code>error.${key}</code></th>
<td>${status !== undefined && markup`<span class="status">${status}</span> `}${text}</td>
</tr>
`
    }),
  )
}
