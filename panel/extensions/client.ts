import { createPanelClient } from '../app/client.ts'
import { extensionRoutes } from './parts.ts'

/** The client of the signed-in user, with the endpoints of extensions. */
export const extensionClient = createPanelClient(extensionRoutes)
