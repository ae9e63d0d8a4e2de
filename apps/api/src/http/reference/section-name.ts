/** The section of the API reference that lists the operations of a tag, as a path segment. */
export const sectionName = (tag = 'other') => tag.replaceAll(' ', '-')
