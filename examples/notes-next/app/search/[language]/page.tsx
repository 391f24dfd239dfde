import { connect, pathOf } from '../../../src/cms.ts'

interface Props {
  params: Promise<{ language: string }>
  searchParams: Promise<{ q?: string | string[] }>
}

export default async function Search({ params, searchParams }: Props) {
  const cms = connect()
  const [{ language: code }, { q = '' }, languages] = await Promise.all([params, searchParams, cms.languages()])
  const language = languages.find(one => one.code === code) ?? languages.find(one => one.default)
  const found = await cms.search(String(q), language)
  return (
    <>
      <h1>Search</h1>
      <ul>
        {found.map(({ uuid, title, url }) => (
          <li key={uuid}>
            <a href={pathOf(url)}>{title}</a>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p>Nothing found.</p>}
    </>
  )
}
