/**
 * Computes a value once per field and caches it as long as the field exists: blueprints are read once, values all the
 * time.
 */
export function perField<Field extends object, Value>(make: (field: Field) => Value): (field: Field) => Value {
  const values = new WeakMap<Field, Value>()
  return field => {
    let value = values.get(field)
    if (value === undefined) {
      value = make(field)
      values.set(field, value)
    }
    return value
  }
}
