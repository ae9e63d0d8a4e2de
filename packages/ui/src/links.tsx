import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Html<Props> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & {
  ref?: Ref<HTMLAnchorElement>
}

/**
 * Mantine's link-like parts wired to the router: real anchors that can be opened in a new tab,
 * preloaded on intent.
 */
export const LinkAnchor = createLink((props: AnchorProps & Html<AnchorProps>) => (
  <Anchor {...props} />
))

/** The link in the primary cell of a table's row. The whole row opens it (responsive-table.tsx). */
export const RowLink = createLink((props: AnchorProps & Html<AnchorProps>) => (
  <Anchor fw={550} fz="inherit" underline="hover" data-row-link {...props} />
))

export const LinkButton = createLink((props: ButtonProps & Html<ButtonProps>) => (
  <Button component="a" {...props} />
))

export const LinkNav = createLink((props: NavLinkProps & Html<NavLinkProps>) => (
  <NavLink component="a" {...props} />
))

/**
 * Where a link leads, as the router takes it. Apps make these in one file, so that a path is
 * written once.
 */
export interface LinkTarget {
  to: string
  params?: Record<string, string>
  search?: Record<string, unknown>
  hash?: string
}
