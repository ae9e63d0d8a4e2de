import { Avatar, UnstyledButton, type UnstyledButtonProps, VisuallyHidden } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import { translations } from './messages.ts'
import classes from './shell.module.css'

const t = translations('ui.frame')

interface Props
  extends UnstyledButtonProps,
    Omit<ComponentPropsWithRef<'button'>, keyof UnstyledButtonProps> {
  user: { name: string; email: string }
}

/** The button of the account's menu. */
export function AccountButton({ user, ...button }: Props) {
  return (
    <UnstyledButton className={classes.user} {...button}>
      <Avatar
        size={32}
        radius="xl"
        color="initials"
        name={user.name || user.email}
        aria-hidden
        className={classes.avatar}
      />
      <VisuallyHidden>{t('accountOf', { person: user.name || user.email })}</VisuallyHidden>
    </UnstyledButton>
  )
}
