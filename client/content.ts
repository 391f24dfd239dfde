/** The content of a site, as its blueprints describe it. `quoin types` writes them down for the compiler. */

/** What any content is before anybody says of which template. */
type AnyContent = Record<string, unknown>

/** The value of an object that may not be filled in. */
export type OrEmpty<Value> = Value | ''

/** How lists show a thing. */
type EntryImage = Record<string, unknown> | null

interface Entry {
  id: string
  image: EntryImage
  info: string
  link: string
  sortable: boolean
  text: string
  uuid: string
}

/** What a field of type `pages` refers to. */
export interface PageEntry extends Entry {
  dragText: string
  hasChildren: boolean
  url: string
}

/** What a field of type `files` refers to. */
export interface FileEntry extends Entry {
  dragText: string
  filename: string
  type: string | null
  url: string
}

/** What a field of type `users` refers to. */
export interface UserEntry extends Entry {
  email: string
  username: string
}

// ---- models with their content

type Named = 'pages' | 'files' | 'users'

/** Templates and roles that are known; any name where nobody has written them down. */
type NameOf<Site, Kind> = Kind extends keyof Site ? keyof Site[Kind] & string : string

type ContentOf<Site, Kind, Name> = [Name] extends [never]
  ? AnyContent
  : Kind extends keyof Site
    ? Name extends keyof Site[Kind]
      ? Site[Kind][Name]
      : AnyContent
    : AnyContent

type SiteContent<Site> = Site extends { site: infer Content } ? Content : AnyContent

/** Models are told apart by what only they have. */
type KindOf<Model> = 'content' extends keyof Model
  ? 'filename' extends keyof Model
    ? 'files'
    : 'slug' extends keyof Model
      ? 'pages'
      : 'username' extends keyof Model
        ? 'users'
        : 'previewUrl' extends keyof Model
          ? 'site'
          : never
  : never

/** A model by itself, or each of a collection. */
type ModelIn<Result> = Result extends { type: 'collection'; data: (infer Model)[] } ? Model : Result

type WithContent<Model, Content, Name> = Omit<Model, 'content' | ([Name] extends [never] ? never : 'template')> & {
  content?: Content
} & ([Name] extends [never] ? unknown : 'template' extends keyof Model ? { template?: Name } : unknown)

type Filled<Result, Content, Name = never> = Result extends { type: 'collection'; data: (infer Model)[] }
  ? Omit<Result, 'data'> & { data: WithContent<Model, Content, Name>[] }
  : WithContent<Result, Content, Name>

/**
 * A call of the API. What answers with pages, files or accounts takes the name of a template or role:
 * `client.pages.get<'note'>({ id })` has the content of a note.
 */
export type Call<Input extends unknown[], Result, Site> = [KindOf<ModelIn<Result>>] extends [never]
  ? (...input: Input) => Promise<Result>
  : KindOf<ModelIn<Result>> extends Named
    ? <Name extends NameOf<Site, KindOf<ModelIn<Result>>> = never>(
        ...input: Input
      ) => Promise<Filled<Result, ContentOf<Site, KindOf<ModelIn<Result>>, Name>, Name>>
    : (...input: Input) => Promise<Filled<Result, SiteContent<Site>>>
