/** The script of the pages in tabs: most of it is what both of them use. */
import './translations.ts';
import { showRequest } from './request/requestPage.tsx';
import { showUsage } from './usage/usagePage.tsx';

if (document.getElementById('root')?.dataset['page'] === 'request') showRequest();
else showUsage();
