/** An account that a text mentions. While it is typed the text has `@name`, when it is stored `@[id]`. */
export interface Person {
  id: string
  name: string
}

/** A part of a text: words, or the name of a mentioned account. */
export interface CommentPart {
  text: string
  isMention: boolean
}

/** The text as it is shown. Accounts that are deleted or hidden have no name. */
export function commentParts(text: string, people: readonly Person[]): CommentPart[] {
  return text.split(/@\[([\w-]+)\]/).map((part, index) => {
    const isMention = index % 2 === 1
    return { isMention, text: isMention ? `@${people.find(({ id }) => id === part)?.name ?? '…'}` : part }
  })
}

/** The text as it is typed. Mentions without a name stay as they are stored, so that saving keeps them. */
export function toTyped(text: string, people: readonly Person[]): string {
  return text.replaceAll(/@\[([\w-]+)\]/g, (stored, id: string) => {
    const person = people.find(candidate => candidate.id === id)
    return person ? `@${person.name}` : stored
  })
}

/** The text as it is stored. Of names that begin with each other the longest counts. */
export function toStored(text: string, people: readonly Person[]): string {
  const longestFirst = people.toSorted((a, b) => b.name.length - a.name.length)
  let stored = ''
  for (let position = 0; position < text.length;) {
    const person =
      text[position] === '@' ? longestFirst.find(({ name }) => isNamed(text, position + 1, name)) : undefined
    stored += person ? `@[${person.id}]` : text[position]!
    position += person ? person.name.length + 1 : 1
  }
  return stored
}

const isNamed = (text: string, position: number, name: string) =>
  text.startsWith(name, position) &&
  !/^[\p{L}\p{N}]/u.test(text.slice(position + name.length, position + name.length + 2))

/** The name that is being typed after an `@`, up to the caret. */
export function nameBeforeCaret(text: string, caret: number): string | undefined {
  return /(?:^|[\s(])@([^\s@]{0,40})$/.exec(text.slice(0, caret))?.[1]
}

/** Whether a word of a name begins with what was typed; accents do not count. */
export const isCalled = (name: string, typed: string): boolean => ` ${plain(name)}`.includes(` ${plain(typed)}`)

const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLocaleLowerCase()
