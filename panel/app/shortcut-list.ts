import type { shortcuts } from '../texts/en/shortcuts.ts'

interface Shortcut {
  /** As on a keyboard with Ctrl. Several that belong together are separate. */
  keys: readonly string[]
  text: keyof typeof shortcuts
}

interface ShortcutGroup {
  title: keyof typeof shortcuts
  shortcuts: readonly Shortcut[]
}

/** All shortcuts, in the order of the guide (a test compares both). */
export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    title: 'shortcuts.anywhere',
    shortcuts: [
      { keys: ['Ctrl K'], text: 'shortcuts.search' },
      { keys: ['Ctrl S'], text: 'shortcuts.publish' },
      { keys: ['?'], text: 'shortcuts.list' },
      { keys: ['Esc'], text: 'shortcuts.close' },
      { keys: ['Tab'], text: 'shortcuts.skip' },
    ],
  },
  {
    title: 'shortcuts.lists',
    shortcuts: [
      { keys: ['↑', '↓'], text: 'shortcuts.moveRow' },
      { keys: ['↑', '↓', 'Home', 'End'], text: 'shortcuts.tree' },
      { keys: ['→', '←'], text: 'shortcuts.expand' },
      { keys: ['Ctrl A', 'Escape'], text: 'shortcuts.selectPages' },
      { keys: ['Alt ↑', 'Alt ↓'], text: 'shortcuts.movePage' },
      { keys: ['Alt →', 'Alt ←'], text: 'shortcuts.nestPage' },
    ],
  },
  {
    title: 'shortcuts.blocks',
    shortcuts: [
      { keys: ['Ctrl B', 'Ctrl I'], text: 'shortcuts.bold' },
      { keys: ['Alt F10'], text: 'shortcuts.toolbar' },
      { keys: ['Ctrl K'], text: 'shortcuts.link' },
      { keys: ['Ctrl Z', 'Ctrl Shift Z'], text: 'shortcuts.undo' },
      { keys: ['/'], text: 'shortcuts.insert' },
      { keys: ['#', '-', '1.', '>', '---'], text: 'shortcuts.signs' },
      { keys: ['Enter', 'Shift Enter'], text: 'shortcuts.split' },
      { keys: ['Backspace'], text: 'shortcuts.join' },
      { keys: ['Tab', 'Shift Tab', 'Enter'], text: 'shortcuts.cells' },
      { keys: ['Alt Enter'], text: 'shortcuts.table' },
      { keys: ['Ctrl Enter'], text: 'shortcuts.paragraph' },
      { keys: ['Alt Shift ↑', 'Alt Shift ↓'], text: 'shortcuts.moveBlock' },
      { keys: ['Ctrl Shift D'], text: 'shortcuts.duplicate' },
      { keys: ['Ctrl Shift Backspace'], text: 'shortcuts.delete' },
      { keys: ['Escape'], text: 'shortcuts.selectBlock' },
      { keys: ['Shift ↑', 'Shift ↓'], text: 'shortcuts.selectMore' },
      { keys: ['Ctrl A', 'Ctrl A'], text: 'shortcuts.selectAll' },
      { keys: ['Ctrl C', 'Ctrl X', 'Ctrl V', 'Delete'], text: 'shortcuts.clipboard' },
      { keys: ['Enter'], text: 'shortcuts.write' },
    ],
  },
]
