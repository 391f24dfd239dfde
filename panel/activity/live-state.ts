import { createStore } from '../app/store.ts'

/** Whether events arrive as they happen. */
export const liveState = createStore<'off' | 'live'>('off')
