/** Of SHA-256. */
const hashBytes = 32

/** Sorted hashes in a compact form: there may be millions. */
export interface Hashes {
  readonly count: number
  /** False if the hash is not greater than the last one. */
  add(hash: string): boolean
  has(hash: string): boolean
  at(index: number): string
}

export function createHashes(): Hashes {
  let bytes = Buffer.alloc(1024 * hashBytes)
  let count = 0
  const at = (index: number) => bytes.subarray(index * hashBytes, (index + 1) * hashBytes)
  return {
    get count() {
      return count
    },
    add(hash) {
      const added = Buffer.from(hash, 'hex')
      if (count > 0 && Buffer.compare(at(count - 1), added) >= 0) return false
      if ((count + 1) * hashBytes > bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)])
      added.copy(bytes, count++ * hashBytes)
      return true
    },
    has(hash) {
      const target = Buffer.from(hash, 'hex')
      let [low, high] = [0, count]
      while (low < high) {
        const middle = (low + high) >> 1
        const order = Buffer.compare(at(middle), target)
        if (order === 0) return true
        if (order < 0) low = middle + 1
        else high = middle
      }
      return false
    },
    at: index => at(index).toString('hex'),
  }
}
