import {
  Archive, AudioLines, Bell, Bolt, BookOpen, Bookmark, Box, Braces, Bug, Calendar, ChartColumn, Check, CircleAlert,
  CircleHelp, Clock, Cog, Copy, CreditCard, Database, Download, File, FileText, Film, Flag, Folder, Gauge, Globe, Hash, Heading,
  Heading1, Heading2, Heading3, Heading4, Heading5, Heading6, Heart, House, Image, Images, Info, Key, Layers, LayoutDashboard,
  LayoutGrid, Link, List, Lock, Mail, Map as MapIcon, MapPin, Megaphone, MessageSquare, Mic, Minus, Music, Palette, Pencil,
  Percent, Phone, Quote, Receipt, Rocket, Search, Settings, ShoppingCart, Sparkles, Star, Store, Table, Tag, Tags, Terminal, Text,
  TriangleAlert, Trash2, Truck, Type, Upload, User, Users, Video, Wallet, Wand2,
} from 'lucide-react' // prettier-ignore
import { emojiIcon } from '../ui/emoji-icon.tsx'
import type { Icon } from '../ui/icon.ts'

/** Icons of tabs, sections, fields, options and blocks, by their names in blueprints. */
const icons: ReadonlyMap<string, Icon> = new Map<string, Icon>(
  Object.entries({
    account: User, alert: TriangleAlert, archive: Archive, audio: AudioLines, bell: Bell, bolt: Bolt, book: BookOpen,
    bookmark: Bookmark, box: Box, bug: Bug, calendar: Calendar, cart: ShoppingCart, chart: ChartColumn, chat: MessageSquare,
    check: Check, checklist: Tags, clock: Clock, code: Braces, cog: Cog, copy: Copy, 'credit-card': CreditCard,
    dashboard: LayoutDashboard, database: Database, divider: Minus, document: FileText, download: Download, edit: Pencil,
    email: Mail, file: File, 'file-image': Image, film: Film, flag: Flag, folder: Folder, gauge: Gauge, globe: Globe,
    grid: LayoutGrid, h1: Heading1, h2: Heading2, h3: Heading3, h4: Heading4, h5: Heading5, h6: Heading6, hash: Hash,
    headline: Heading, heart: Heart, home: House, image: Image, images: Images, info: Info, key: Key, layers: Layers, link: Link,
    list: List, 'list-bullet': List, lock: Lock, mail: Mail, map: MapIcon, markdown: FileText, megaphone: Megaphone, mic: Mic,
    money: Wallet, music: Music, page: FileText, palette: Palette, pen: Pencil, percent: Percent, phone: Phone, pin: MapPin,
    question: CircleHelp, quote: Quote, receipt: Receipt, rocket: Rocket, search: Search, settings: Settings, sparkling: Sparkles, star: Star,
    store: Store, table: Table, tag: Tag, template: Layers, terminal: Terminal, text: Text, 'text-left': Text, title: Type,
    trash: Trash2, truck: Truck, upload: Upload, url: Link, user: User, users: Users, video: Video, wand: Wand2,
    warning: CircleAlert,
  }),
) // prettier-ignore

/** Undefined for an unknown name. Blueprints may use an emoji instead of a name. */
export function iconOf(name: unknown): Icon | undefined {
  return typeof name === 'string' ? (icons.get(name) ?? emojiIcon(name)) : undefined
}
