import { useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'

export type Webhook = Awaited<ReturnType<typeof client.system.webhooks.get>>
export type Delivery = Awaited<ReturnType<typeof client.system.webhooks.deliveries>>['data'][number]

const key = ['webhooks']

export function useWebhooks() {
  return useQuery({
    queryKey: key,
    queryFn: async () => (await client.system.webhooks.list({ limit: 1000 })).data,
  })
}

/** The last deliveries. Read again while one of them waits for its first attempt. */
export function useDeliveries(id: string) {
  return useQuery({
    queryKey: [...key, id, 'deliveries'],
    queryFn: async () => (await client.system.webhooks.deliveries({ id, limit: 100 })).data,
    refetchInterval: ({ state }) => (state.data?.some(isFresh) ? 1000 : 10_000),
  })
}

const isFresh = ({ state, attempts }: Delivery) => state === 'waiting' && attempts === 0

/** Reads webhooks and deliveries again. */
export function useRefreshWebhooks() {
  const queryClient = useQueryClient()
  return () => void queryClient.invalidateQueries({ queryKey: key })
}
