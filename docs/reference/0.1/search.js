// Filters the operations on the index by words. Without it the page shows all of them.
const box = document.querySelector('.search')
if (box) {
  const input = box.querySelector('input')
  const status = box.querySelector('[role=status]')
  const entries = [...document.querySelectorAll('.operations li')].map(item => ({ item, text: item.textContent.toLowerCase() }))
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    let found = 0
    for (const { item, text } of entries) {
      item.hidden = !words.every(word => text.includes(word))
      if (!item.hidden) found++
    }
    for (const group of document.querySelectorAll('.group')) group.hidden = !group.querySelector('li:not([hidden])')
    status.textContent = words.length === 0 ? '' : found === 1 ? '1 operation' : `${found} operations`
  }
  box.hidden = false
  input.addEventListener('input', filter)
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.target === input) return
    event.preventDefault()
    input.focus()
  })
  filter()
}
