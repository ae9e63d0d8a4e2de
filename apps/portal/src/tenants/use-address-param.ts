import { useParams } from '@tanstack/react-router'

/**
 * A part of the page's address by its name, such as `domain`; empty on a page whose address has
 * none.
 */
export function useAddressParam(name: string): string {
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false })
  return params[name] ?? ''
}
