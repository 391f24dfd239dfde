import { z } from 'zod'
import { viewOf } from '../../../http/view.ts'
import { isoTime } from '../../../platform/lib/time.ts'
import { ownerOfPage } from '../../pages/pages.ts'
import type { Redirect } from './redirects.ts'

const names = [
  'id',
  'path',
  'target',
  'page',
  'title',
  'language',
  'url',
  'automatic',
  'prefix',
  'created',
  'modified',
] as const

export const redirectView = viewOf<Redirect>('Redirect')(
  field => ({
    automatic: field.value(z.boolean(), ({ row }) => row.is_automatic === 1),
    created: field.value(z.string(), ({ row }) => isoTime(row.created_at)),
    id: field.value(z.string(), ({ row }) => String(row.id)),
    language: field.value(z.string().nullable(), ({ language }) => language),
    modified: field.value(z.string(), ({ row }) => isoTime(row.modified_at)),
    page: field.value(z.string().nullable(), ({ page }) => page && ownerOfPage(page.uuid)),
    path: field.value(z.string(), ({ path }) => path),
    prefix: field.value(z.boolean(), ({ isPrefix }) => isPrefix),
    target: field.value(z.string().nullable(), ({ target }) => target),
    title: field.value(z.string().nullable(), ({ page }) => page && page.title),
    url: field.value(z.string(), ({ url }) => url),
  }),
  { compact: ['id', 'path', 'target'], default: names },
)
