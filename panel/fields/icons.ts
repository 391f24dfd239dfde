import {
  Braces, Calendar, Clock, FileText, Heading, Heading1, Heading2, Heading3, Heading4, Heading5, Heading6, Image, Images, Link,
  List, Mail, Minus, Palette, Phone, Quote, Search, Star, Tag, Tags, Text, Type, User, Video,
} from 'lucide-react' // prettier-ignore
import type { Icon } from '../ui/icon.ts'

/** The icons that fields, options and blocks usually have, by their names in blueprints. */
const icons: ReadonlyMap<string, Icon> = new Map<string, Icon>(
  Object.entries({
    calendar: Calendar, clock: Clock, code: Braces, dashboard: Images, divider: Minus, email: Mail, file: FileText,
    h1: Heading1, h2: Heading2, h3: Heading3, h4: Heading4, h5: Heading5, h6: Heading6, headline: Heading, image: Image,
    images: Images, 'list-bullet': List, list: List, link: Link, markdown: FileText, page: FileText, palette: Palette,
    phone: Phone, quote: Quote, search: Search, star: Star, tag: Tag, checklist: Tags, text: Text, title: Type, url: Link,
    user: User, users: User, video: Video,
  }),
) // prettier-ignore

/** Undefined for a name that is not drawn. */
export const iconOf = (name: unknown): Icon | undefined => (typeof name === 'string' ? icons.get(name) : undefined)
