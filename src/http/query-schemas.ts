import { z } from 'zod'

/** An ISO date and time with an offset, in ms since 1970. */
export const timestampSchema = z.iso.datetime({ offset: true }).transform(text => Date.parse(text))

export const versionQuery = {
  version: z
    .enum(['published', 'changes'])
    .optional()
    .describe(
      '`changes`: the content as it will be when everything is published, drafts included. Needs the permission to preview.',
    ),
}

export const languageQuery = {
  language: z
    .string()
    .max(50)
    .optional()
    .describe('The code of the content language; the default language if omitted. Also as the header `x-language`.'),
  pretty: z.string().optional().describe('`true` indents the JSON of the answer.'),
}

/** The query parameters that select fields, for every endpoint that returns models. */
export const selectionQuery = {
  ...languageQuery,
  view: z.string().max(100).optional().describe('A named set of properties: `default`, `compact`, `panel`, `any` …'),
  select: z
    .union([
      z.string().max(1000),
      z.array(z.string()),
      z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    ])
    .optional()
    .describe(
      'The properties to answer: `select=id,title`, or `select[parent]=compact` for the view of a related model.',
    ),
}
