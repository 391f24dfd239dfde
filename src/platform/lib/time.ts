/** A time in the format of the API: `2026-05-31T18:30:00+00:00`. */
export const isoTime = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}+00:00`
