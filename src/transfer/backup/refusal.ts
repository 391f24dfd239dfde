/** It cannot be done, told in one line; nothing has been written. */
export class Refusal extends Error {}
