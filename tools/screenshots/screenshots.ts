/** All screenshots of the guide, and the steps to each. */
import type { Page } from 'playwright-core'

export type Variant = 'light' | 'dark' | 'narrow'

export interface Screenshot {
  name: string
  variants: readonly Variant[]
  /** Without a session. */
  anonymous?: true
  /** Below `/panel`. */
  at: string
  /** The heading of the screen, which is also the title of the window. */
  title: string
  /** Opens what the screenshot shows, and resolves when it is loaded. */
  prepare: (page: Page) => Promise<void>
  /** Closes what would stay open on the next screen. */
  close?: (page: Page) => Promise<void>
}

const light = ['light'] as const
const all = ['light', 'dark', 'narrow'] as const

/** Opens a menu at the top of a page and chooses an item. */
async function choose(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

export const screenshots: readonly Screenshot[] = [
  {
    name: 'sign-in',
    variants: all,
    anonymous: true,
    at: '/',
    title: 'Sign in',
    async prepare(page) {
      await page.getByLabel('E-mail address').fill('ada@example.org')
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    },
  },
  {
    name: 'site',
    variants: all,
    at: '/site',
    title: 'A small press',
    async prepare(page) {
      await page.getByRole('link', { name: 'About us' }).waitFor()
      await page.getByRole('link', { name: 'wedges.png' }).waitFor()
    },
  },
  {
    name: 'tree',
    variants: light,
    at: '/pages/notes+sheets-on-a-line',
    title: 'Sheets on a line',
    async prepare(page) {
      await page.getByRole('button', { name: 'All pages' }).click()
      await page.getByRole('treeitem', { name: 'Ink in winter' }).waitFor()
    },
  },
  {
    name: 'search',
    variants: ['light', 'dark'],
    at: '/pages/notes+what-a-quoin-is',
    title: 'What a quoin is',
    async prepare(page) {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('dialog').getByRole('combobox').fill('ink')
      await page.getByRole('option', { name: 'roller.jpg Ink in winter' }).waitFor()
    },
  },
  {
    name: 'page',
    variants: all,
    at: '/pages/notes+what-a-quoin-is',
    title: 'What a quoin is',
    async prepare(page) {
      await page.getByRole('group', { name: 'Text' }).getByText('Lift a page of loose type').waitFor()
    },
  },
  {
    name: 'changes',
    variants: ['light', 'narrow'],
    at: '/pages/notes+ink-in-winter',
    title: 'Ink in winter',
    async prepare(page) {
      await page.getByRole('region', { name: 'Changes' }).getByText('1 change').waitFor()
    },
  },
  {
    name: 'history',
    variants: ['light', 'dark'],
    at: '/pages/notes+what-a-quoin-is',
    title: 'What a quoin is',
    async prepare(page) {
      await choose(page, 'Page actions', 'History')
      const versions = page.getByRole('dialog', { name: 'History' }).getByRole('listitem')
      await versions.filter({ hasText: 'Tags' }).first().getByRole('button').first().click()
      await versions.locator('ins').first().waitFor()
    },
  },
  {
    name: 'conflict',
    variants: light,
    at: '/pages/about',
    title: 'About us',
    async prepare(page) {
      const dialog = page.getByRole('dialog', { name: 'Resolve conflict' })
      await dialog.getByRole('radio', { name: 'Keep mine' }).click()
    },
  },
  {
    name: 'preview',
    variants: ['light', 'narrow'],
    at: '/pages/notes+ink-in-winter',
    title: 'Ink in winter',
    async prepare(page) {
      await page.getByRole('button', { name: 'Preview', exact: true }).click()
      const frame = page.frameLocator('iframe[title="Preview of Ink in winter"]')
      await frame.getByText('What to do about it, in five steps').waitFor()
    },
    async close(page) {
      await page.getByRole('button', { name: 'Close preview' }).click()
    },
  },
  {
    name: 'share',
    variants: light,
    at: '/pages/notes+ink-in-winter',
    title: 'Ink in winter',
    async prepare(page) {
      await choose(page, 'Page actions', 'Share preview')
      await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).waitFor()
    },
  },
  {
    name: 'redirects',
    variants: light,
    at: '/site/redirects',
    title: 'Redirects',
    async prepare(page) {
      await page.getByText('/newsletter').waitFor()
    },
  },
  {
    name: 'activity',
    variants: light,
    at: '/activity',
    title: 'Activity',
    async prepare(page) {
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByText('Joon Marsh').first().waitFor()
    },
  },
  {
    name: 'page-activity',
    variants: light,
    at: '/pages/notes+what-a-quoin-is',
    title: 'What a quoin is',
    async prepare(page) {
      await choose(page, 'Page actions', 'Activity')
      await page.getByRole('dialog').getByText('Joon Marsh').first().waitFor()
    },
  },
  {
    name: 'translation',
    variants: light,
    at: '/pages/notes+what-a-quoin-is?language=de',
    title: 'Was ein Schließkeil ist',
    async prepare(page) {
      await page.getByText('not translated into Deutsch yet').waitFor()
    },
  },
  {
    name: 'files',
    variants: ['light', 'narrow'],
    at: '/site/files',
    title: 'Files',
    async prepare(page) {
      await page.getByRole('link', { name: 'wedges.png' }).waitFor()
    },
  },
  {
    name: 'file',
    variants: ['light', 'dark'],
    at: '/pages/about/files/workshop.png',
    title: 'workshop.png',
    async prepare(page) {
      await page.getByText('71 % from the left').waitFor()
    },
  },
  {
    name: 'users',
    variants: light,
    at: '/users',
    title: 'Users',
    async prepare(page) {
      await page.getByText('Tilda Okoro').waitFor()
    },
  },
  {
    name: 'languages',
    variants: light,
    at: '/languages',
    title: 'Languages',
    async prepare(page) {
      await page.getByRole('link', { name: 'Deutsch' }).waitFor()
    },
  },
  {
    name: 'system',
    variants: light,
    at: '/system',
    title: 'System',
    async prepare(page) {
      await page.getByText('Everything works').waitFor()
    },
  },
  {
    name: 'webhooks',
    variants: light,
    at: '/system/webhooks',
    title: 'Webhooks',
    async prepare(page) {
      await page.getByText('https://search.example.org').waitFor()
    },
  },
  {
    name: 'webhook',
    variants: light,
    at: '/system/webhooks',
    title: 'Webhooks',
    async prepare(page) {
      await page.getByRole('button', { name: /search\.example\.org/ }).click()
      await page.getByRole('list', { name: 'Recent deliveries' }).getByText('204').first().waitFor()
    },
  },
  {
    name: 'account',
    variants: ['light', 'narrow'],
    at: '/account?tab=security',
    title: 'Your account',
    async prepare(page) {
      await page.getByText('Blue key').waitFor()
      await page.getByText('10 codes are left').waitFor()
    },
  },
]
