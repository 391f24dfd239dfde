/** Types for the content of a site, as its blueprints describe it. `quoin types` generates them. */

/** Content of an unknown template. */
type AnyContent = Record<string, unknown>

/** The value of an object field, which is `''` if it is empty. */
export type OrEmpty<Value> = Value | ''

/**
 * Replaces a stored value that cannot be read, so that it does not look empty. Sent back unchanged, the stored value
 * stays.
 */
export interface BrokenValue {
  /** `tooLarge`: reading it would take longer than a request may. */
  readonly $broken: 'unreadable' | 'tooLarge'
  /** The length of the stored text, in characters. */
  readonly length: number
  /** The beginning of the stored text. */
  readonly text: string
}

/** The value of a field that is parsed from stored text: check it with `isBroken` first. */
export type OrBroken<Value> = Value | BrokenValue

/** The image that lists show for an entry. */
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

/** The known templates and roles; any name if there are no generated types. */
type NameOf<Site, Kind> = Kind extends keyof Site ? keyof Site[Kind] & string : string

type ContentOf<Site, Kind, Name> = [Name] extends [never]
  ? AnyContent
  : Kind extends keyof Site
    ? Name extends keyof Site[Kind]
      ? Site[Kind][Name]
      : AnyContent
    : AnyContent

type SiteContent<Site> = Site extends { site: infer Content } ? Content : AnyContent

/** Models are distinguished by properties that only they have. */
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

/** The model itself, or the models of a collection. */
type ModelIn<Result> = Result extends { type: 'collection'; data: (infer Model)[] } ? Model : Result

type WithContent<Model, Content, Name> = Omit<Model, 'content' | ([Name] extends [never] ? never : 'template')> & {
  content?: Content
} & ([Name] extends [never] ? unknown : 'template' extends keyof Model ? { template?: Name } : unknown)

type Filled<Result, Content, Name, Chosen> = Result extends { type: 'collection'; data: (infer Model)[] }
  ? Omit<Result, 'data'> & { data: Selected<WithContent<Model, Content, Name>, Chosen>[] }
  : Selected<WithContent<Result, Content, Name>, Chosen>

// ---- request bodies

/** A page, file or account in a field that refers to it: its uuid or id, or an entry as it was read. */
export type Reference = string | { uuid: string } | { id: string }

interface AnyBlock {
  content: object
  id: string
  isHidden: boolean
  type: string
}

/** A value in a request: rows and blocks may be incomplete. */
type Written<Value> = Value extends BrokenValue
  ? BrokenValue
  : Value extends readonly (infer Item)[]
    ? readonly ([Item] extends [Entry] ? Reference : Written<Item>)[]
    : Value extends AnyBlock
      ? { type: Value['type']; content?: WrittenContent<Value['content']>; id?: string; isHidden?: boolean }
      : Value extends object
        ? WrittenContent<Value>
        : Value

/** Replaces a value that may be broken. */
type Overwrite<Value> = [BrokenValue] extends [Value] ? { $overwrite: Written<Exclude<Value, BrokenValue>> } : never

type WrittenContent<Content> = { [Name in keyof Content]?: Written<Content[Name]> | Overwrite<Content[Name]> }

/** The fields of a template, the title, and the revision that the change is based on. */
type ContentBody<Content> = WrittenContent<Omit<Content, 'title' | 'uuid'>> & { title?: string; revision?: number }

/** A body that is content, or that has a `content` property. Without a template it may be any content. */
type TypedBody<Body, Site, Kind, Name> = [Body] extends [undefined]
  ? undefined
  : [Kind] extends ['site']
    ? string extends keyof NonNullable<Body>
      ? Site extends { site: infer Content }
        ? ContentBody<Content>
        : Body
      : Body
    : string extends keyof NonNullable<Body>
      ? [Name] extends [never]
        ? Body
        : Kind extends keyof Site
          ? ContentBody<ContentOf<Site, Kind, Name>>
          : Body
      : 'content' extends keyof NonNullable<Body>
        ?
            | (Omit<NonNullable<Body>, 'content' | 'template'> & {
                template?: [Name] extends [never] ? NameOf<Site, Kind> : Name
                content?: [Name] extends [never]
                  ? AnyContent
                  : Kind extends keyof Site
                    ? WrittenContent<ContentOf<Site, Kind, Name>>
                    : AnyContent
              })
            | Extract<Body, undefined>
        : Body

/** `select` names properties of the returned model. */
type Select<Model> =
  | (keyof Model & string)
  | `${keyof Model & string},${string}`
  | readonly (keyof Model & string)[]
  | { readonly [Name in keyof Model]?: string | readonly string[] }

type TypedUrl<Url, Chosen> = 'select' extends keyof Url ? Omit<Url, 'select'> & { select?: Chosen } : Url

type Exactly<Model, Names> = Required<Pick<Model, Names & keyof Model>>

/** A model with the properties that a literal `select` names; without one, every property is optional. */
type Selected<Model, Chosen> = [Select<Model>] extends [Chosen]
  ? Model
  : Chosen extends readonly unknown[]
    ? number extends Chosen['length']
      ? Model
      : Exactly<Model, Chosen[number]>
    : Chosen extends string
      ? Chosen extends keyof Model
        ? Exactly<Model, Chosen>
        : Model
      : object extends Chosen
        ? Model
        : WithRelated<Exactly<Model, keyof Chosen>, Chosen>

/** `{ role: ['name'] }` selects properties of a related model. */
type WithRelated<Model, Chosen> = {
  [Name in keyof Model]: Name extends keyof Chosen ? Related<Model[Name], Chosen[Name]> : Model[Name]
}

type Related<Value, Names> = Names extends readonly string[]
  ? number extends Names['length']
    ? Value
    : Value extends readonly (infer Item)[]
      ? Exactly<Item, Names[number]>[]
      : Value extends object
        ? Exactly<Value, Names[number]>
        : Value
  : Value

/** A change can be based on a revision: it is refused with 412 if there is a newer one. */
type WithRevision<Url, Body> = [Body] extends [undefined]
  ? Url
  : keyof Url extends never
    ? Url
    : Url & { ifMatch?: number | undefined }

/**
 * The first argument has the URL parameters, if any; the second the body, if any. Either is optional if all its
 * properties are. Some endpoints take further URL parameters after the body (`select`, `strict`).
 */
type Arguments<Url, Body, Options> = [
  ...(keyof Url extends never ? [] : object extends Url ? [url?: Url] : [url: Url]),
  ...([Body] extends [undefined] ? [] : undefined extends Body ? [body?: Body] : [body: Body]),
  ...([Options] extends [undefined] ? [] : [options?: Options]),
]

type TypedArguments<Url, Body, Result, Site, Options, Chosen, Name = never> = Arguments<
  WithRevision<TypedUrl<Url, Chosen>, Body>,
  TypedBody<Body, Site, KindOf<ModelIn<Result>>, Name>,
  TypedUrl<Options, Chosen>
>

/** A public endpoint shows anonymous callers less than they select. */
type CanSelect<Url, Result, Level> = 'select' extends keyof Url
  ? [Level] extends ['public']
    ? false
    : Result extends { type: 'model' }
      ? false
      : true
  : false

type Narrowed<Result, Chosen> = Result extends { type: 'collection'; data: (infer Model)[] }
  ? Omit<Result, 'data'> & { data: Selected<Model, Chosen>[] }
  : Selected<Result, Chosen>

/**
 * A method of the client. Methods that return pages, files or accounts take the name of a template or role:
 * `client.pages.get<'note'>({ id })` returns the content of a note, and `client.pages.update<'note'>({ id }, { … })`
 * takes it. A literal `select` gives a model with exactly these properties, unless the name of a template is given, too.
 */
export type Call<Url, Body, Result, Site, Options, Level> = [KindOf<ModelIn<Result>>] extends [never]
  ? [CanSelect<Url, Result, Level>] extends [true]
    ? <const Chosen extends Select<ModelIn<Result>> = Select<ModelIn<Result>>>(
        ...input: Arguments<WithRevision<TypedUrl<Url, Chosen>, Body>, Body, Options>
      ) => Promise<Narrowed<Result, Chosen>>
    : (...input: Arguments<WithRevision<Url, Body>, Body, Options>) => Promise<Result>
  : KindOf<ModelIn<Result>> extends Named
    ? <
        Name extends NameOf<Site, KindOf<ModelIn<Result>>> = never,
        const Chosen extends Select<ModelIn<Result>> = Select<ModelIn<Result>>,
      >(
        ...input: TypedArguments<Url, Body, Result, Site, Options, Chosen, Name>
      ) => Promise<Filled<Result, ContentOf<Site, KindOf<ModelIn<Result>>, Name>, Name, Chosen>>
    : <const Chosen extends Select<ModelIn<Result>> = Select<ModelIn<Result>>>(
        ...input: TypedArguments<Url, Body, Result, Site, Options, Chosen>
      ) => Promise<Filled<Result, SiteContent<Site>, never, Chosen>>
