import { z } from 'zod'

/** How the panel shows a model in lists: an icon on a background, or an image. Blueprints may add other settings. */
export interface PanelImage {
  back: string
  color: string
  cover: boolean
  icon: string
  ratio?: string
  url?: string
  src?: string
  srcset?: string
  [setting: string]: unknown
}

export const panelImageSchema = z.record(z.string(), z.unknown()) as z.ZodType as z.ZodType<PanelImage>
