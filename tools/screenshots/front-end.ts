/**
 * A small front end for the screenshots of the preview: it shows the page of the requested path, read with the preview
 * pass in the parameter `preview`.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { createClient } from '../../client/client.ts'

interface Block {
  type: string
  content: { level?: string; text?: string }
}

const style = `
  body { margin: 0; background: #fbf8f2; color: #26221c; font: 17px/1.6 Georgia, serif }
  header { padding: 14px 28px; border-bottom: 1px solid #e5ded0; font: 13px/1.5 sans-serif; letter-spacing: .06em; text-transform: uppercase }
  main { max-width: 34em; margin: 0 auto; padding: 28px }
  h1 { font-size: 34px; line-height: 1.15; margin: .4em 0 } h2 { font-size: 22px; margin: 1.4em 0 .4em }
  .intro { font-size: 20px; color: #6b6252 }`

const previewScript = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, '../../preview/preview.ts'), 'utf8'))

/** A front end for the CMS at `cmsUrl`. */
export function createFrontEnd(cmsUrl: string): Server {
  return createServer((request, response) => void serve(cmsUrl, request, response))
}

async function serve(cmsUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, cmsUrl)
  if (pathname === '/preview.js') return void response.setHeader('content-type', 'text/javascript').end(previewScript)
  const client = createClient({ url: cmsUrl, token: searchParams.get('preview') ?? undefined })
  const page = await client.pages
    .get({ id: pathname.slice(1).replaceAll('/', '+'), version: 'changes', select: ['title', 'content'] })
    .catch(() => undefined)
  response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html><title>A small press</title>
    <meta name="viewport" content="width=device-width"><style>${style}</style><header>A small press</header>
    <main><h1>${page?.title ?? 'Not found'}</h1><p class="intro">${(page?.content?.['intro'] as string | undefined) ?? ''}</p>
    ${((page?.content?.['text'] ?? []) as Block[]).map(render).join('')}</main>
    <script type="module">
      import { preview } from '/preview.js'
      preview({ panel: '${cmsUrl}', refresh: () => location.reload() })
    </script>`)
}

function render({ type, content: { level = 'h2', text = '' } }: Block): string {
  if (type === 'heading') return `<${level}>${text}</${level}>`
  return ['text', 'list'].includes(type) ? text : ''
}
