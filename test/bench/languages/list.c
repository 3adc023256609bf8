#include <stdlib.h>
#include <string.h>

struct node {
	char *name;
	int count;
	struct node *next;
};

static struct node *find(struct node *head, const char *name)
{
	struct node *node;

	for (node = head; node != NULL; node = node->next) {
		if (strcmp(node->name, name) == 0)
			return node;
	}
	return NULL;
}

int add(struct node **head, const char *name)
{
	struct node *node = find(*head, name);

	if (node != NULL) {
		node->count++;
		return node->count;
	}
	node = malloc(sizeof(*node));
	if (node == NULL)
		return -1;
	node->name = strdup(name);
	if (node->name == NULL) {
		free(node);
		return -1;
	}
	node->count = 1;
	node->next = *head;
	*head = node;
	return 1;
}

void release(struct node *head)
{
	while (head != NULL) {
		struct node *next = head->next;

		free(head->name);
		free(head);
		head = next;
	}
}
