import { defineExtension, endpoint, json, z } from 'quoin'

/** Counts the notes of each tag: GET /api/extensions/tags/counts. More in the guide: docs/guide/extending.md */
export const tags = () =>
  defineExtension({
    name: 'tags',
    endpoints: {
      counts: endpoint({
        method: 'GET',
        path: '/counts',
        summary: 'Count the notes of each tag',
        access: 'public',
        perMinute: 60,
        answer: json(z.object({ counts: z.record(z.string(), z.int()) })),
        handler: async ({ cms }) => {
          // As the extension, because visitors may have no permission to read pages: it counts published notes only.
          const notes = cms.asSystem().pages.children
          const { data } = await notes.list({ id: 'notes', select: ['content'], status: 'published', limit: 1000 })
          const counts = new Map<string, number>()
          for (const { content } of data)
            for (const tag of z.array(z.string()).catch([]).parse(content['tags']))
              counts.set(tag, (counts.get(tag) ?? 0) + 1)
          return { counts: Object.fromEntries(counts) }
        },
      }),
    },
  })
