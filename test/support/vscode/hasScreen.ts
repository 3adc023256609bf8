/** True if windows can be displayed. */
export function hasScreen(): boolean {
  if (process.platform !== 'linux') return true;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return (DISPLAY ?? '') !== '' || (WAYLAND_DISPLAY ?? '') !== '';
}
