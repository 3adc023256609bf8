create table customer (
    id integer primary key,
    name text not null,
    joined date not null
);

create table orders (
    id integer primary key,
    customer integer not null references customer (id),
    placed date not null,
    total numeric(10, 2) not null
);

create view best as
    select
        customer.name,
        count(*) as orders,
        sum(orders.total) as total
    from customer
    join orders on orders.customer = customer.id
    where orders.placed >= date '2026-01-01'
    group by customer.name
    having sum(orders.total) > 100
    order by total desc;

update orders
set total = total * 0.9
where placed < date '2025-01-01'
    and customer in (
        select id
        from customer
        where joined < date '2020-01-01'
    );
