import { type AnyEndpoint, type Api, isEndpoint, listEndpoints, parametersOf } from '../../http/endpoint.ts'
import { isOptional, typeOfSchema } from './json-schema.ts'
import { type Member, quoted, type Type } from './print.ts'

/** The methods of the client for the endpoints of extensions, by the name of the extension. */
export const methodsOf = (tree: Api): Type => ({
  members: Object.entries(tree).map(([name, node]): Member => ({ name, type: typeIn(node) })),
})

function typeIn(node: AnyEndpoint | Api): Type {
  if (!isEndpoint(node)) return methodsOf(node)
  const answer = Object.entries(node.answer.schemas).find(([status]) => status.startsWith('2'))?.[1]
  const result = answer ? typeOfSchema(answer, 'output') : 'unknown'
  return `(${parametersOfMethod(node).join(', ')}) => Promise<${result}>`
}

/** As the client takes it: parameters of the path and the query in one object, then the body. */
function parametersOfMethod({ path, query, body }: AnyEndpoint): string[] {
  const params = (path.match(/:\w+/g) ?? []).map(param => `${param.slice(1)}: string`)
  const given = [
    ...(params.length > 0 ? [`{ ${params.join('; ')} }`] : []),
    ...(query ? [typeOfSchema(query, 'input')] : []),
  ].join(' & ')
  const canOmitBody = body === undefined || isOptional(body)
  const canOmitParams = params.length === 0 && query !== undefined && isOptional(query)
  return [
    ...(given === ''
      ? []
      : canOmitParams
        ? [canOmitBody ? `params?: ${given}` : `params: ${given} | undefined`]
        : [`params: ${given}`]),
    ...(body ? [`body${canOmitBody ? '?' : ''}: ${typeOfSchema(body, 'input')}`] : []),
  ]
}

/** The routes that the client needs at run time, as a constant. */
export function routesOf(tree: Api): string {
  const routes = [...listEndpoints(tree, 'extensions.')].map(
    ([name, endpoint]) =>
      `  ${quoted(name)}: [${[endpoint.method, endpoint.path, parametersOf(endpoint)].map(quoted).join(', ')}],\n`,
  )
  return `/** For \`createClient<Blueprints>({ url, routes: extensionRoutes })\`. */\nexport const extensionRoutes = {\n${routes.join('')}} as const\n`
}
