/** A moment as answers of the API write it: `2026-05-31T18:30:00+00:00`. */
export const isoTime = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}+00:00`
