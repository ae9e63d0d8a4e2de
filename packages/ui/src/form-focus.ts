/**
 * Focuses the first field with an error, in the open dialog or else on the page, so that no one has
 * to look for it. Errors carry the paths of a Mantine form; one inside a list (`domains.1`) belongs
 * to the field of the list.
 */
export function focusFirstError(errors: Readonly<Record<string, unknown>>): void {
  const paths = new Set(Object.keys(errors).flatMap((path) => [path, path.replace(/\.\d+$/, '')]))
  // After the errors have been rendered: a folded part of the form may open because of them.
  requestAnimationFrame(() => {
    const fields = [
      ...(document.querySelector('[role=dialog]') ?? document).querySelectorAll<HTMLElement>(
        '[data-path]',
      ),
    ]
    fields.find((field) => paths.has(field.dataset.path ?? ''))?.focus()
  })
}
