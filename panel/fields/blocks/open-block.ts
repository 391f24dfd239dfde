/** The event that is sent to the element of a block whose drawer has to open. */
export const openBlock = 'quoin-open-block'
