import { fail } from '../../platform/errors.ts'

/**
 * Limits of concurrent uploads: forms per account, and bytes in total that are received but neither stored nor
 * discarded yet.
 */
export interface Limits {
  forms: number
  bytes: number
}

export interface UploadQuota {
  /** Counts one more form of an account. The caller must call `end` of the result when the upload has ended. */
  start(account: string): CountedForm
}

export interface CountedForm {
  /** Passes the bytes through and counts them. */
  counted(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  end(): void
}

const defaultLimits: Limits = { forms: 8, bytes: 4 * 1024 ** 3 }
const busy = () => fail('busy').with({ headers: { 'retry-after': '10' } })

export function createUploadQuota(limits: Limits = defaultLimits): UploadQuota {
  const forms = new Map<string, number>()
  let reserved = 0
  return {
    start(account) {
      const count = forms.get(account) ?? 0
      if (count >= limits.forms) throw busy()
      forms.set(account, count + 1)
      let formBytes = 0
      return {
        async *counted(bytes) {
          for await (const chunk of bytes) {
            if (reserved + chunk.length > limits.bytes) throw busy()
            reserved += chunk.length
            formBytes += chunk.length
            yield chunk
          }
        },
        end() {
          reserved -= formBytes
          formBytes = 0
          const left = (forms.get(account) ?? 1) - 1
          if (left === 0) forms.delete(account)
          else forms.set(account, left)
        },
      }
    },
  }
}

const quotas = new WeakMap<object, UploadQuota>()

/** One quota per app, and so per process. */
export function uploadQuotaOf(app: object): UploadQuota {
  let quota = quotas.get(app)
  if (!quota) quotas.set(app, (quota = createUploadQuota()))
  return quota
}
