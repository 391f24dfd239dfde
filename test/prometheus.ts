/** A strict parser of the text format of Prometheus 0.0.4. */

export interface Metric {
  type: string
  /** By the text of name and labels: `name{label="value"}`. */
  values: Map<string, number>
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?!\}))?)*)\})? (\S+)$/

export function parsePrometheus(text: string): Map<string, Metric> {
  if (!text.endsWith('\n')) throw new Error('the last line must end')
  const metrics = new Map<string, Metric>()
  let current: (Metric & { name: string }) | undefined
  let documented = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') documented = name
    else if (keyword === 'TYPE') {
      if (documented !== name) throw new Error(`no help before ${line}`)
      if (metrics.has(name)) throw new Error(`${name} is there twice`)
      if (!['counter', 'gauge', 'histogram'].includes(rest)) throw new Error(line)
      current = { name, type: rest, values: new Map<string, number>() }
      metrics.set(name, current)
    } else addSample(current, line)
  }
  for (const [name, { type, values }] of metrics) if (type === 'histogram') checkHistogram(name, values)
  return metrics
}

function addSample(metric: (Metric & { name: string }) | undefined, line: string): void {
  const [, name = '', labels, value = ''] = sample.exec(line) ?? []
  if (!metric || name === '') throw new Error(`not a sample: ${line}`)
  const family = metric.type === 'histogram' ? name.replace(/_(?:bucket|sum|count)$/, '') : name
  if (family !== metric.name) throw new Error(`${line} is not among those of ${metric.name}`)
  if (!/^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/.test(value)) throw new Error(`no number: ${line}`)
  const key = labels ? `${name}{${labels}}` : name
  if (metric.values.has(key)) throw new Error(`${key} is there twice`)
  metric.values.set(key, value === '+Inf' ? Infinity : Number(value))
}

/** Buckets are cumulative, and the infinite one counts all. */
function checkHistogram(name: string, values: Map<string, number>): void {
  let previous = { labels: '', bound: Infinity, count: 0 }
  for (const [key, count] of values) {
    const [, labels = '', le = ''] = /_bucket\{(.*?),?le="([^"]+)"\}$/.exec(key) ?? []
    if (le === '') continue
    const bound = le === '+Inf' ? Infinity : Number(le)
    if (previous.bound === Infinity) previous = { labels, bound: -1, count: 0 }
    if (labels !== previous.labels || bound <= previous.bound || count < previous.count) throw new Error(key)
    previous = { labels, bound, count }
    if (bound === Infinity && values.get(labels ? `${name}_count{${labels}}` : `${name}_count`) !== count)
      throw new Error(`${key} is not the number of all`)
  }
}
