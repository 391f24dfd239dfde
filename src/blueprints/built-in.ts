import { type Node, type Plain, toNode } from './source.ts'

const text = (settings: Plain = {}) => ({ type: 'text', ...(settings as object) })
const writer = (label: string, more: object = {}) => ({ label, type: 'writer', inline: true, ...more })
const toggle = (label: string, more: object = {}) => ({ label, type: 'toggle', width: '1/3', ...more })
const picture = (label: string, query: string, more: object = {}) => ({ label, type: 'files', query, ...more })

const ratio = {
  label: 'Ratio',
  type: 'select',
  placeholder: 'As it is',
  width: '1/2',
  options: ['1/1', '16/9', '10/8', '21/9', '7/5', '4/3', '5/3', '3/2', '3/1'].map(value => ({
    value,
    text: value.replace('/', ':'),
  })),
}
const crop = toggle('Crop', { width: '1/2' })

/** From the site, or from somewhere else. */
const location = (otherwise: string) => ({
  label: 'Location',
  type: 'radio',
  columns: 2,
  default: otherwise,
  options: [
    { value: 'kirby', text: 'This site' },
    { value: 'web', text: 'Another address' },
  ],
})

const languages = {
  bash: 'Bash', c: 'C', cpp: 'C++', csharp: 'C#', css: 'CSS', diff: 'Diff', go: 'Go', html: 'HTML', java: 'Java',
  javascript: 'JavaScript', json: 'JSON', kotlin: 'Kotlin', lua: 'Lua', markdown: 'Markdown', php: 'PHP', python: 'Python',
  ruby: 'Ruby', rust: 'Rust', sql: 'SQL', swift: 'Swift', text: 'Plain text', typescript: 'TypeScript', xml: 'XML', yaml: 'YAML',
} // prettier-ignore

/** What a site has without describing it: a page, a file, the site itself, and the usual blocks. */
const settings: Readonly<Record<string, Plain>> = {
  site: { title: 'Site', sections: { pages: { type: 'pages', label: 'Pages' } } },
  'pages/default': { title: 'Page' },
  'files/default': { title: 'File' },

  'blocks/code': {
    icon: 'code',
    wysiwyg: true,
    fields: {
      code: { label: 'Code', type: 'textarea', buttons: false, font: 'monospace' },
      language: {
        label: 'Language',
        type: 'select',
        default: 'text',
        options: Object.entries(languages).map(([value, name]) => ({ value, text: name })),
      },
    },
  },
  'blocks/gallery': {
    icon: 'dashboard',
    preview: 'gallery',
    fields: {
      images: picture('Images', 'model.images', { layout: 'cards', size: 'small' }),
      caption: writer('Caption', { icon: 'text' }),
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
        label: 'Level',
        type: 'toggles',
        default: 'h2',
        required: true,
        labels: false,
        options: [1, 2, 3, 4, 5, 6].map(level => ({ value: `h${level}`, icon: `h${level}`, text: `H${level}` })),
      },
      text: writer('Text', { placeholder: 'Heading' }),
    },
  },
  'blocks/image': {
    icon: 'image',
    preview: 'image',
    fields: {
      location: location('kirby'),
      image: picture('Image', 'model.images', { multiple: false, when: { location: 'kirby' } }),
      src: { label: 'Address', type: 'url', when: { location: 'web' } },
      alt: text({ label: 'Alternative text', icon: 'title' }),
      caption: writer('Caption', { icon: 'text' }),
      link: text({ label: 'Link', icon: 'url' }),
      ratio,
      crop,
    },
  },
  'blocks/line': { icon: 'divider', preview: 'line' },
  'blocks/list': {
    icon: 'list-bullet',
    wysiwyg: true,
    preview: 'list',
    fields: { text: { label: 'Text', type: 'list' } },
  },
  'blocks/markdown': {
    name: 'Markdown',
    icon: 'markdown',
    preview: 'markdown',
    wysiwyg: true,
    fields: { text: { label: 'Text', type: 'textarea', buttons: false, font: 'monospace' } },
  },
  'blocks/quote': {
    icon: 'quote',
    wysiwyg: true,
    preview: 'quote',
    fields: {
      text: writer('Text', { placeholder: 'Quote' }),
      citation: writer('Source', { placeholder: 'by …' }),
    },
  },
  'blocks/text': {
    icon: 'text',
    wysiwyg: true,
    preview: 'text',
    fields: { text: { label: 'Text', type: 'writer' } },
  },
  'blocks/video': {
    icon: 'video',
    preview: 'video',
    fields: {
      location: location('web'),
      url: { label: 'Address', type: 'url', when: { location: 'web' } },
      video: picture('Video', 'model.videos', { multiple: false, when: { location: 'kirby' } }),
      poster: picture('Poster', 'model.images', { multiple: false, when: { location: 'kirby' } }),
      caption: writer('Caption', { icon: 'text' }),
      autoplay: toggle('Start by itself'),
      muted: toggle('Without sound', { default: true }),
      loop: toggle('Again and again'),
    },
  },
}

export const builtIn: ReadonlyMap<string, Node> = new Map(
  Object.entries(settings).map(([name, value]) => [
    name,
    toNode(value, { file: `built-in ${name}`, line: 1, column: 1 }),
  ]),
)
