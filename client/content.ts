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

/** With the name of a template, TypeScript cannot infer `select` and `view`: every property is optional. */
type Filled<Result, Content, Name, Chosen, View, AnswerViews, Level> = Result extends {
  type: 'collection'
  data: (infer Model)[]
}
  ? Omit<Result, 'data'> & {
      data: [Name] extends [never]
        ? Selected<WithContent<Model, Content, Name>, Chosen, View, AnswerViews, Level, true>[]
        : WithContent<Model, Content, Name>[]
    }
  : [Name] extends [never]
    ? Selected<WithContent<Result, Content, Name>, Chosen, View, AnswerViews, Level>
    : WithContent<Result, Content, Name>

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

/** Allowed in place of a `select` or `view`; a type parameter that still includes it was not inferred. */
interface Omitted {
  readonly omitted: never
}

type TypedUrl<Url, Chosen, View> = 'select' extends keyof Url
  ? Omit<Url, 'select' | 'view'> & { select?: Chosen | undefined; view?: View | undefined }
  : Url

type Exactly<Model, Names> = Required<Pick<Model, Names & keyof Model>>

/** A model that certainly has these properties, and perhaps others. */
type With<Model, Names> = [Names] extends [never]
  ? Model
  : Omit<Model, Names & keyof Model> & Required<Pick<Model, Names & keyof Model>>

/** The names of the properties of a view. The server replaces an unknown view by the default one. */
type NamesIn<AnswerViews, View, IsList> = AnswerViews extends { views: infer Views; fallback: infer Fallback }
  ? Visible<
      Views,
      View extends Omitted
        ? NameOr<Views, Fallback>
        : [View, IsList] extends ['any', true]
          ? 'anyInList'
          : NameOr<Views, View>
    >
  : never
type NameOr<Views, View> = View extends keyof Views ? View : 'default'
type Visible<Views, View> = View extends keyof Views ? Views[View] : never
type SeenByAnonymous<AnswerViews> = AnswerViews extends { views: { forAnonymous: infer Names } } ? Names : never

/** The properties that a view has for every caller of the endpoint. */
type Certain<AnswerViews, View, Level, IsList> = [Level] extends ['public' | 'reader']
  ? NamesIn<AnswerViews, View, IsList> & SeenByAnonymous<AnswerViews>
  : NamesIn<AnswerViews, View, IsList>

/**
 * A model with the properties that a literal `select` names, or with those of the view. If neither is known, every
 * property is optional.
 */
type Selected<Model, Chosen, View, AnswerViews, Level, IsList = false> = [Omitted] extends [View]
  ? [Omitted] extends [Chosen]
    ? With<Model, Certain<AnswerViews, Omitted, Level, IsList>>
    : SelectedBy<Model, Chosen> extends infer Found
      ? [Model] extends [Found]
        ? Model
        : Found | ForAnonymous<Model, AnswerViews, Level>
      : never
  : string extends View
    ? Model
    : With<Model, Certain<AnswerViews, View, Level, IsList>>

type SelectedBy<Model, Chosen> = Chosen extends readonly unknown[]
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

/** A public endpoint with a view for anonymous clients shows them that one, whatever they select. */
type ForAnonymous<Model, AnswerViews, Level> = [Level] extends ['public']
  ? AnswerViews extends { views: { anonymous: infer Names } }
    ? Exactly<Model, Names>
    : never
  : never

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
  ...(keyof Url extends never ? [] : object extends Url ? [params?: Url] : [params: Url]),
  ...([Body] extends [undefined] ? [] : undefined extends Body ? [body?: Body] : [body: Body]),
  ...([Options] extends [undefined] ? [] : [options?: Options]),
]

type TypedArguments<Url, Body, Result, Site, Options, Chosen, View, Name = never> = Arguments<
  WithRevision<TypedUrl<Url, Chosen, View>, Body>,
  TypedBody<Body, Site, KindOf<ModelIn<Result>>, Name>,
  TypedUrl<Options, Chosen, View>
>

type Narrowed<Result, Chosen, View, AnswerViews, Level> = Result extends { type: 'collection'; data: (infer Model)[] }
  ? Omit<Result, 'data'> & { data: Selected<Model, Chosen, View, AnswerViews, Level, true>[] }
  : Result extends { type: 'model'; data: infer Model }
    ? Omit<Result, 'data'> & { data: Selected<Model, Chosen, View, AnswerViews, Level> }
    : Result extends { code: number }
      ? Result
      : Selected<Result, Chosen, View, AnswerViews, Level>

// ---- uploads

declare const hasOneFile: unique symbol

/** A form with exactly one file, as `fileForm` creates it. */
export interface OneFileForm extends FormData {
  readonly [hasOneFile]: true
}

/** The answer to one file is the file; the answer to other forms depends on the number of files. */
type UploadedFiles<Form, Model> = Form extends OneFileForm ? Model : Model | Record<string, Model>

/** A method that takes a form with one or several files. */
export type UploadCall<Url, Model, Options> = <
  Form extends FormData,
  const Chosen extends Select<Model> | Omitted = Select<Model> | Omitted,
  const View extends string | Omitted = string | Omitted,
>(
  ...input: [...(keyof Url extends never ? [] : [params: Url]), form: Form, options?: TypedUrl<Options, Chosen, View>]
) => Promise<{
  status: 'ok'
  data: UploadedFiles<Form, Selected<Model, Chosen, View, unknown, unknown>>
}>

/** Whether an answer has a model in one of its views, with or without a choice. */
type IsShown<Url, AnswerViews> = 'select' extends keyof Url
  ? true
  : AnswerViews extends { views: object }
    ? true
    : false

/** The model that `select` chooses properties of. */
type Selectable<Result> = Result extends { type: 'model'; data: infer Model }
  ? Model
  : Result extends { code: number; type: 'collection' }
    ? ModelIn<Result>
    : Result extends { code: number }
      ? never
      : ModelIn<Result>

/**
 * A method of the client. Methods that return pages, files or accounts take the name of a template or role:
 * `client.pages.get<'note'>({ id })` returns the content of a note, and `client.pages.update<'note'>({ id }, { … })`
 * takes it. A literal `select` gives a model with exactly these properties, and without one it has those of the view
 * that the endpoint answers with, unless the name of a template is given, too.
 */
export type Call<Url, Body, Result, Site, Options, Level, AnswerViews> = [KindOf<ModelIn<Result>>] extends [never]
  ? [IsShown<Url, AnswerViews>] extends [true]
    ? <
        const Chosen extends Select<Selectable<Result>> | Omitted = Select<Selectable<Result>> | Omitted,
        const View extends string | Omitted = string | Omitted,
      >(
        ...input: Arguments<WithRevision<TypedUrl<Url, Chosen, View>, Body>, Body, TypedUrl<Options, Chosen, View>>
      ) => Promise<Narrowed<Result, Chosen, View, AnswerViews, Level>>
    : (...input: Arguments<WithRevision<Url, Body>, Body, Options>) => Promise<Result>
  : KindOf<ModelIn<Result>> extends Named
    ? <
        Name extends NameOf<Site, KindOf<ModelIn<Result>>> = never,
        const Chosen extends Select<ModelIn<Result>> | Omitted = Select<ModelIn<Result>> | Omitted,
        const View extends string | Omitted = string | Omitted,
      >(
        ...input: TypedArguments<Url, Body, Result, Site, Options, Chosen, View, Name>
      ) => Promise<
        Filled<Result, ContentOf<Site, KindOf<ModelIn<Result>>, Name>, Name, Chosen, View, AnswerViews, Level>
      >
    : <
        const Chosen extends Select<ModelIn<Result>> | Omitted = Select<ModelIn<Result>> | Omitted,
        const View extends string | Omitted = string | Omitted,
      >(
        ...input: TypedArguments<Url, Body, Result, Site, Options, Chosen, View>
      ) => Promise<Filled<Result, SiteContent<Site>, never, Chosen, View, AnswerViews, Level>>
