/**
 * The English texts of the server, by key. The messages of API errors are in `errors.ts` (when a text is looked up, their
 * keys begin with `error.`); the texts of the panel in `panel/texts`; the other languages in `translations/`.
 */
export const texts = {
  // what a value must be
  'validation.required': 'Please fill this in.',
  'validation.unknown': 'There is no such field.',
  'validation.unknownInside': 'There is no “{name}” here.',
  'validation.type': 'This must be {kind}.',
  'validation.empty': 'This must not be empty.',
  'validation.minlength': 'This needs at least {min} characters.',
  'validation.maxlength': 'This can have at most {max} characters.',
  'validation.min': 'This must be at least {min}.',
  'validation.max': 'This must be at most {max}.',
  'validation.options': 'This must be one of: {options}.',
  'validation.id': 'An id has 4 to 40 letters, digits, "-" and "_", and is not a reserved word.',
  'validation.operator': 'There is no operator “{operator}”.',
  'validation.email': 'This must be an e-mail address.',
  'validation.invalid': 'This is not valid.',
  'validation.count.min': 'This needs at least {min} entries.',
  'validation.count.max': 'This can have at most {max} entries.',
  'validation.pattern': 'This does not have the required format.',
  'validation.unchecked': 'This could not be checked in time. Please try a shorter text.',
  'validation.html': 'This has too much HTML: too many tags, or too many nested ones.',
  'validation.url': 'This must be a URL, such as https://example.org.',
  'validation.tel': 'This must be a telephone number without spaces or dashes, such as +4930123456.',
  'validation.date': 'This must be a date, such as 2026-05-31.',
  'validation.time': 'This must be a time, such as 18:30.',
  'validation.earliest': 'This must not be before {min}.',
  'validation.latest': 'This must not be after {max}.',
  'validation.between': 'This must be between {min} and {max}.',
  'validation.less': 'This must be less than {max}.',
  'validation.more': 'This must be more than {min}.',
  'validation.size': 'This must have the size {size}.',
  'validation.color': 'This must be a colour, such as {example}.',
  'validation.link': 'This is not a link that can be used here.',
  'validation.accepted': 'Please confirm this.',
  'validation.denied': 'This must be switched off.',
  'validation.blank': 'This must stay empty.',
  'validation.alpha': 'Please use letters only.',
  'validation.alphanum': 'Please use letters and digits only.',
  'validation.contains': 'This must contain “{text}”.',
  'validation.notContains': 'This must not contain “{text}”.',
  'validation.startsWith': 'This must begin with “{text}”.',
  'validation.endsWith': 'This must end with “{text}”.',
  'validation.same': 'This must be “{text}”.',
  'validation.different': 'This must not be “{text}”.',
  'validation.notIn': 'This must not be one of: {options}.',
  'validation.filename': 'This must be the name of a file.',
  'validation.ip': 'This must be an IP address.',
  'validation.json': 'This must be JSON.',
  'validation.uuid': 'This must be the UUID of a page, a file or an account.',
  'validation.minWords': 'This needs at least {min} words.',
  'validation.maxWords': 'This can have at most {max} words.',
  'validation.tooLarge': 'This is too large or too deeply nested to be stored.',
  'validation.related.count':
    'This response would contain more than {max} related items. Please request them as lists of their own.',
  'validation.related.size':
    'The related lists of this response are larger than {max} MB. Please request them as lists of their own.',
  'validation.tooManyParts': 'There are more rows, blocks or entries than one field can have.',
  'validation.tooManyReferences': 'All fields together refer to pages and files more than {max} times.',
  'validation.tooMany': 'There are already {max} fields that the blueprint does not define. Please remove one first.',
  'validation.name': 'This is not a valid field name.',
  'validation.revision': 'If-Match must be the ETag of what is to be changed, such as "7".',
  'validation.reserved': 'This field cannot be changed with the content.',

  // errors inside a value with parts
  'validation.object': '{field}: {problem}',
  'validation.structure': 'Row {row}, {field}: {problem}',
  'validation.row': 'Row {row}: {problem}',
  'validation.columns': 'This needs as many cells as the first row: at least one, at most {max}.',
  'validation.blocks': 'Block {block}, {field}: {problem}',
  'validation.block': 'Block {block}: {problem}',
  'validation.block.kind': 'Blocks of the type “{kind}” cannot be added here.',
  'validation.extension': 'The extension “{name}” has failed: {part}',
  'validation.broken': 'The stored value cannot be read. It is kept until it is replaced with $overwrite.',
  'validation.layout': 'Row {row} of the layout: {problem}',
  'validation.noQuery': 'This endpoint does not support query parameters.',
  'validation.noView': 'Related models have no view “{view}”.',

  // kinds of values, in `validation.type`
  'kind.text': 'a text',
  'kind.number': 'a number',
  'kind.int': 'a whole number',
  'kind.boolean': 'true or false',
  'kind.object': 'an object',
  'kind.list': 'a list',

  // types of files, in `error.file.type.…`
  'type.archive': 'archive',
  'type.audio': 'audio',
  'type.code': 'code',
  'type.document': 'document',
  'type.image': 'image',
  'type.video': 'video',

  // shapes of images, in `error.file.orientation`
  'orientation.landscape': 'landscape',
  'orientation.portrait': 'portrait',
  'orientation.square': 'square',

  // defaults of blueprints, where a site has no text of its own
  'role.admin': 'Administrator',
  'status.draft': 'Draft',
  'status.draft.text': 'Not published. Only users with an account can see it.',
  'status.unlisted': 'Unlisted',
  'status.unlisted.text': 'Published, but not listed. It can be opened by its URL.',
  'status.listed': 'Public',
  'status.listed.text': 'Published, and listed among its siblings.',
  'block.code': 'Code',
  'block.gallery': 'Gallery',
  'block.heading': 'Heading',
  'block.image': 'Image',
  'block.line': 'Divider',
  'block.list': 'List',
  'block.quote': 'Quote',
  'block.table': 'Table',
  'block.text': 'Text',
  'block.video': 'Video',
  'block.code.language': 'Language',
  'block.code.plain': 'Plain text',
  'block.gallery.images': 'Images',
  'block.heading.level': 'Level',
  'block.image.alt': 'Alternative text',
  'block.image.link': 'Link',
  'block.media.address': 'URL',
  'block.media.caption': 'Caption',
  'block.media.crop': 'Crop',
  'block.media.location': 'Location',
  'block.media.here': 'This site',
  'block.media.web': 'External URL',
  'block.media.ratio': 'Ratio',
  'block.media.asItIs': 'Original',
  'block.quote.source': 'Source',
  'block.quote.by': 'by …',
  'block.video.autoplay': 'Autoplay',
  'block.video.controls': 'Controls',
  'block.video.preload': 'Preload',
  'block.video.loop': 'Loop',
  'block.video.muted': 'Muted',
  'block.video.poster': 'Poster',
  'blueprint.site': 'Site',
  'blueprint.page': 'Page',
  'blueprint.file': 'File',
  'blueprint.pages': 'Pages',
  'blueprint.files': 'Files',
  'blueprint.drafts': 'Drafts',
  'blueprint.unlisted': 'Unlisted',
  'blueprint.listed': 'Public',
  'blueprint.error': 'Error',
  'blueprint.column': 'Column ({width})',
  'blueprint.column.empty': 'This column is empty.',
  'blueprint.fields': 'Fields',
  'blueprint.fields.empty': 'No fields yet.',

  // unsafe content, in `error.file.content.unsafe`
  'unsafe.doctype': 'a DOCTYPE',
  'unsafe.element': 'the element “{name}”',
  'unsafe.entity': 'a custom entity',
  'unsafe.form': 'markup that is not well-formed',
  'unsafe.handler': 'an event handler',
  'unsafe.instruction': 'a processing instruction',
  'unsafe.reference': 'an external reference',
  'unsafe.script': 'a script',
  'unsafe.style': 'a style that browsers may run',

  // sections
  'section.table.title': 'Title',
  'section.table.info': 'Info',

  // why a request cannot be read, in `error.request.malformed`
  'malformed.host': 'the header Host is missing.',
  'malformed.header': 'the header {name} occurs twice.',
  'malformed.framing': 'its framing is not valid HTTP.',
  'malformed.form': 'its framing, its URL or its body is not valid.',
  'malformed.utf8': 'its body is not valid UTF-8.',
  'malformed.mark': 'its body starts with a byte order mark.',
  'malformed.syntax': 'its body is not valid JSON.',
  'malformed.unicode': 'its body has a text that is not valid Unicode.',
  'malformed.depth': 'its body is nested deeper than {limit} levels.',
  'malformed.members': 'its body has more than {limit} members.',
  'malformed.duplicate': 'its body has the same key twice.',
  'malformed.forbidden': 'its body has a key that is not allowed.',

  // why a password is refused, after `error.user.password.invalid`
  'password.tooShort': 'It needs at least {min} characters.',
  'password.tooLong': 'It can have at most {max} characters.',
  'password.malformed': 'It has characters that cannot be stored.',
  'password.common': 'It is a common password.',
  'password.repeated': 'It repeats the same few characters.',
  'password.sequence': 'It is a sequence of neighbouring characters of the alphabet or the keyboard.',
  'password.contextWord':
    'It contains a name or the name of this site, which is easy to guess. Please add other words.',

  // the page at the address of the server
  'start.text': 'This site is managed with Quoin.',
  'start.panel': 'Open the panel',
  'start.reference': 'API reference',

  // mails; a line that is only a link stays a line of its own
  'mail.reset.subject': 'A new password for {site}',
  'mail.reset.text':
    'Someone, hopefully you, requested a new password for your account at {site}.\n\nThis is your code, valid for {minutes} minutes:\n{code}\n\nOr open this link:\n{link}\n\nIf it was not you, please ignore this mail. Your password stays as it is.',
  'mail.invite.subject': 'Your invitation to {site}',
  'mail.invite.text':
    'There is an account for you at {site}.\n\nOpen this link within {days} days to choose your password:\n{link}\n\nIf you do not know what this is about, please ignore this mail.',
  'mail.emailConfirm.subject': 'Confirm your new e-mail address for {site}',
  'mail.emailConfirm.text':
    'Confirm this e-mail address for your account at {site}.\n\nOpen this link within {hours} hours:\n{link}\n\nIf you do not know what this is about, please ignore this mail. Nothing will change.',
  'mail.emailChanged.subject': 'Your e-mail address for {site} was changed',
  'mail.emailChanged.text': 'From now on your account at {site} uses this e-mail address:\n{email}',
  'mail.passwordChanged.subject': 'Your password for {site} was changed',
  'mail.passwordChanged.text':
    'Your account at {site} has a new password. You have been signed out on all other devices.',
  'mail.passwordDisabled.subject': 'Your password for {site} was switched off',
  'mail.passwordDisabled.text':
    'Someone tried so many wrong passwords for your account at {site} that the password no longer works. Request a new password on the sign-in page:\n{panel}',
  'mail.totpDisabled.subject': 'Your authenticator app for {site} was switched off',
  'mail.totpDisabled.text':
    'Someone who knows your password tried so many wrong codes for your account at {site} that the authenticator app no longer works. Sign in with a recovery code or a passkey, choose a new password and set up the app again:\n{panel}',
  'mail.factorAdded.subject': 'A new sign-in method for {site}',
  'mail.factorAdded.text': 'This sign-in method was added to your account at {site}:\n{factor}',
  'mail.factorRemoved.subject': 'A sign-in method for {site} was removed',
  'mail.factorRemoved.text': 'This sign-in method was removed from your account at {site}:\n{factor}',
  'mail.factor.totp': 'Authenticator app',
  'mail.factor.passkey': 'Passkey',
  'mail.factor.recovery': 'Recovery codes',
  'mail.sessionEnded.subject': 'You have been signed out of {site}',
  'mail.sessionEnded.text': 'An administrator of {site} has signed you out. You can sign in again:\n{panel}',
  'mail.suspicious.subject': 'Please check your account at {site}',
  'mail.suspicious.secondFactor':
    'Someone entered the correct password of your account at {site}, but not the second factor. They were not signed in.',
  'mail.suspicious.afterFailures': 'Someone signed in to your account at {site} after many wrong passwords.',
  'mail.tokenCreated.subject': 'A new API token for {site}',
  'mail.tokenCreated.text': 'This API token was created for your account at {site}:\n{name}',
  'mail.reviewRequested.subject': 'Review: {title}',
  'mail.reviewRequested.text': '{name} requests a review of “{title}” on {site}.\n\n{note}\n\n{link}',
  'mail.reviewReturned.subject': 'Sent back: {title}',
  'mail.reviewReturned.text': '{name} has sent “{title}” on {site} back to you.\n\n{note}\n\n{link}',
  'mail.reviewAccepted.subject': 'Accepted: {title}',
  'mail.reviewAccepted.text': '{name} has accepted your changes to “{title}” on {site}.\n\n{link}',
  'mail.mentioned.subject': 'Comment: {title}',
  'mail.mentioned.text': '{name} mentioned you in a comment on “{title}” on {site}.\n\n{note}\n\n{link}',
  'mail.webhookOff.subject': 'A webhook of {site} was turned off',
  'mail.webhookOff.text':
    'Changes to {site} are no longer sent to {host}. The last problem was:\n{problem}\n\nYou can turn the webhook on again:\n{link}',
  'mail.notYou': 'If this was not you, change your password immediately and tell an administrator.',
} as const satisfies Record<string, string>

export type TextKey = keyof typeof texts

export type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** A text of a site by language; `*` is the text for all other languages. */
export type TranslatedText = Readonly<Record<string, string>>

/** The value of a placeholder: a plain string, or a text that is translated into the reader's language. */
export type TextValue = string | TranslatedText | Message
export type Data = Readonly<Record<string, TextValue>>

/** A text that is translated into the reader's language only when it is sent. In JSON it is English. */
export class Message {
  readonly key: string
  readonly data: Data
  /** The text of an extension, which our translations do not have. */
  readonly own: TranslatedText | undefined

  constructor(key: string, data: Data = {}, own?: TranslatedText) {
    this.key = key
    this.data = data
    this.own = own
  }
  toString(): string {
    return fill(this.own ? inEnglish(this.own) : ((texts as Record<string, string>)[this.key] ?? this.key), this.data)
  }
  toJSON(): string {
    return this.toString()
  }
}

/** Turns the key of one of our texts into its message, as the default blueprints use them; other texts stay. */
export function asMessage(text: string): string | Message {
  return Object.hasOwn(texts, text) ? new Message(text) : text
}

/** `message('validation.min', { min: '3' })`: the placeholders are checked by the compiler. */
export function message<Key extends TextKey>(
  key: Key,
  ...[data]: [Placeholders<(typeof texts)[Key]>] extends [never]
    ? []
    : [Record<Placeholders<(typeof texts)[Key]>, TextValue>]
): Message {
  return new Message(key, data)
}

const inEnglish = (inner: TranslatedText | Message): string =>
  inner instanceof Message ? String(inner) : (inner['en'] ?? inner['*'] ?? Object.values(inner)[0] ?? '')

/** Fills the placeholders. Texts among the data become English, unless `translate` is given. */
export function fill(
  text: string,
  data: Data,
  translate: (inner: TranslatedText | Message) => string = inEnglish,
): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = data[name] ?? ''
    return typeof value === 'string' ? value : translate(value)
  })
}
