const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** For text and for attribute values in double quotes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, character => entities[character]!)
