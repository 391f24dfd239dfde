import { type YamlNode, type Plain, toNode } from './source.ts'

const writer = (label: string, settings: object = {}) => ({ label, type: 'writer', inline: true, ...settings })
const toggle = (label: string, settings: object = {}) => ({ label, type: 'toggle', width: '1/3', ...settings })
const filesField = (label: string, query: string, settings: object = {}) => ({
  label,
  type: 'files',
  query,
  ...settings,
})

const ratio = {
  label: 'block.media.ratio',
  type: 'select',
  placeholder: 'block.media.asItIs',
  width: '1/2',
  options: ['1/1', '16/9', '10/8', '21/9', '7/5', '4/3', '5/3', '3/2', '3/1'].map(value => ({
    value,
    text: value.replace('/', ':'),
  })),
}
const crop = toggle('block.media.crop', { width: '1/2' })

/**
 * The field that chooses between a file of the site and an external URL. Its value `kirby` for the former is that of Kirby,
 * whose content has it.
 */
const location = (defaultValue: string) => ({
  label: 'block.media.location',
  type: 'radio',
  columns: 2,
  default: defaultValue,
  options: [
    { value: 'kirby', text: 'block.media.here' },
    { value: 'web', text: 'block.media.web' },
  ],
})

/**
 * Names as syntax highlighters use them, except `latext`, which is the name in Kirby, whose content has it. The field also
 * accepts any other name.
 */
const languages = {
  bash: 'Bash', basic: 'BASIC', c: 'C', clojure: 'Clojure', cpp: 'C++', csharp: 'C#', css: 'CSS', diff: 'Diff', elixir: 'Elixir',
  elm: 'Elm', erlang: 'Erlang', go: 'Go', graphql: 'GraphQL', haskell: 'Haskell', html: 'HTML', java: 'Java', js: 'JavaScript',
  json: 'JSON', latext: 'LaTeX', less: 'Less', lisp: 'Lisp', lua: 'Lua', makefile: 'Makefile', markdown: 'Markdown', markup: 'Markup',
  objectivec: 'Objective-C', pascal: 'Pascal', perl: 'Perl', php: 'PHP', text: 'block.code.plain', python: 'Python', r: 'R',
  ruby: 'Ruby', rust: 'Rust', sass: 'Sass', scss: 'SCSS', shell: 'Shell', sql: 'SQL', swift: 'Swift', typescript: 'TypeScript',
  vbnet: 'VB.NET', xml: 'XML', yaml: 'YAML',
} // prettier-ignore

/** Built-in blueprints: a page, a file, the site, and the usual blocks. Texts are keys of our translations. */
const blueprints: Readonly<Record<string, Plain>> = {
  site: { title: 'blueprint.site', sections: { pages: { type: 'pages', label: 'blueprint.pages' } } },
  'pages/default': { title: 'blueprint.page' },
  'files/default': { title: 'blueprint.file' },

  'blocks/code': {
    icon: 'code',
    wysiwyg: true,
    fields: {
      code: { label: 'block.code', type: 'textarea', buttons: false, font: 'monospace' },
      language: {
        label: 'block.code.language',
        type: 'select',
        accept: 'all',
        default: 'text',
        options: Object.entries(languages).map(([value, name]) => ({ value, text: name })),
      },
    },
  },
  'blocks/gallery': {
    icon: 'dashboard',
    preview: 'gallery',
    fields: {
      images: filesField('block.gallery.images', 'model.images', { layout: 'cards', size: 'small' }),
      caption: writer('block.media.caption', { icon: 'text' }),
      ratio,
      crop,
    },
  },
  'blocks/heading': {
    icon: 'title',
    wysiwyg: true,
    preview: 'heading',
    fields: {
      level: {
        label: 'block.heading.level',
        type: 'toggles',
        default: 'h2',
        required: true,
        labels: false,
        options: [1, 2, 3, 4, 5, 6].map(level => ({ value: `h${level}`, icon: `h${level}`, text: `H${level}` })),
      },
      text: writer('block.text', { placeholder: 'block.heading' }),
    },
  },
  'blocks/image': {
    icon: 'image',
    preview: 'image',
    fields: {
      location: location('kirby'),
      image: filesField('block.image', 'model.images', { multiple: false, when: { location: 'kirby' } }),
      src: { label: 'block.media.address', type: 'url', when: { location: 'web' } },
      alt: { label: 'block.image.alt', type: 'text', icon: 'title' },
      caption: writer('block.media.caption', { icon: 'text' }),
      link: { label: 'block.image.link', type: 'link', options: ['custom'] },
      ratio,
      crop,
    },
  },
  'blocks/line': { icon: 'divider', preview: 'line' },
  'blocks/list': {
    icon: 'list-bullet',
    wysiwyg: true,
    preview: 'list',
    fields: { text: { label: 'block.text', type: 'list' } },
  },
  'blocks/markdown': {
    name: 'Markdown',
    icon: 'markdown',
    preview: 'markdown',
    wysiwyg: true,
    fields: { text: { label: 'block.text', type: 'textarea', buttons: false, font: 'monospace' } },
  },
  'blocks/quote': {
    icon: 'quote',
    wysiwyg: true,
    preview: 'quote',
    fields: {
      text: writer('block.text', { placeholder: 'block.quote' }),
      citation: writer('block.quote.source', { placeholder: 'block.quote.by' }),
    },
  },
  'blocks/table': {
    icon: 'table',
    wysiwyg: true,
    preview: 'table',
    fields: { table: { label: 'block.table', type: 'table' } },
  },
  'blocks/text': {
    icon: 'text',
    wysiwyg: true,
    preview: 'text',
    fields: { text: { label: 'block.text', type: 'writer' } },
  },
  'blocks/video': {
    icon: 'video',
    preview: 'video',
    fields: {
      location: location('web'),
      url: { label: 'block.media.address', type: 'url', when: { location: 'web' } },
      video: filesField('block.video', 'model.videos', { multiple: false, when: { location: 'kirby' } }),
      poster: filesField('block.video.poster', 'model.images', { multiple: false, when: { location: 'kirby' } }),
      caption: writer('block.media.caption', { icon: 'text' }),
      autoplay: toggle('block.video.autoplay'),
      muted: toggle('block.video.muted', { default: true }),
      loop: toggle('block.video.loop'),
      controls: toggle('block.video.controls', { default: true }),
      preload: {
        label: 'block.video.preload',
        type: 'select',
        accept: 'all',
        width: '1/3',
        default: 'auto',
        options: ['auto', 'metadata', 'none'],
      },
    },
  },
}

export const builtIn: ReadonlyMap<string, YamlNode> = new Map(
  Object.entries(blueprints).map(([name, value]) => [
    name,
    toNode(value, { file: `built-in ${name}`, line: 1, column: 1 }),
  ]),
)
